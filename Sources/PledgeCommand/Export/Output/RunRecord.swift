import ExistKit
import Foundation
import PledgeCoding
import PledgeFiles

/// The record of a run beside its results: the options that determine the content, so that resuming requests the same.
struct RunRecord: Codable {
    var version = 1
    var pledge = Version.text
    /// The time at which the run started, and its day in the local time zone.
    let began: String
    let day: String
    /// The values that determine the content, by option or variable.
    let options: [String: String]
    /// Whether every account has a line, so that a later run starts anew.
    var finished = false

    init(_ options: ExportOptions, _ servers: BatchServers) {
        let window = options.window
        (began, day) = (Timestamp.text(window.began), window.today.description)
        var given = [
            "--days": window.first == nil ? "\(window.count)" : nil, "--from": window.first?.description,
            "--through": window.last?.description,
            "--sections": ExportOptions.Section.allCases.filter(options.sections.contains).map(\.rawValue)
                .joined(separator: ","),
            "--shard": options.batch.shard.map { "\($0.index)/\($0.count)" },
        ]
        // The addresses, without secrets, of accounts whose lines name no server.
        for service in AccountID.Service.allCases {
            given[service.addressName] = servers.address(of: service, own: nil).redacted
        }
        self.options = given.compactMapValues(\.self)
    }

    /// Returns the options in which a resumed run differs, as on the command line. By default, the last day is kept.
    func differences(from other: RunRecord) -> [String] {
        Set(options.keys).union(other.options.keys).sorted().compactMap { name in
            let (then, now) = (options[name], other.options[name])
            guard then != now, name != "--through" || now != nil else { return nil }
            return "\(name) \(then ?? "not given") then, \(now ?? "not given") now"
        }
    }

    /// Returns the days of this run, for a resumed one; nil if they are invalid.
    func window(_ given: ExportDays) -> ExportDays? {
        var window = given
        window.last = options["--through"].flatMap { ExistDay($0) }
        guard let began = Timestamp.parse(began)?.date, let today = ExistDay(day),
            options["--through"] == nil || window.last != nil
        else { return nil }
        (window.began, window.today) = (began, today)
        return window
    }
}

extension RunRecord {
    private static let largest = 64 << 10

    /// What its name has beyond that of the results.
    static let suffix = ".run"

    /// Reads the record; nil if there is none.
    init?(at location: any FileLocation) throws {
        guard location.isTaken else { return nil }
        let file = try location.open()
        guard let bytes = try? file.read(Self.largest, at: 0),
            let record = try? TapeDecoder.decode(RunRecord.self, from: JSONTape(Data(bytes))), record.version == 1
        else { throw UsageError("\(location.named) does not describe a run: choose another file for the results.") }
        self = record
    }

    /// Replaces the record atomically.
    func write(to location: any FileLocation) throws {
        let replacement = try Replacement(of: location, old: location.isTaken ? location.open() : nil)
        try replacement.file.writeAll(JSONEncoder.repeatable(.prettyPrinted).encode(self) + [UInt8(ascii: "\n")])
        try replacement.replaceOriginal()
    }
}
