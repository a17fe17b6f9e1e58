import ExistKit
import Foundation
import PledgeCoding
import PledgeFiles

/// The record of a run, in a small file beside its results: the options that determine their content, so that a run
/// that continues them requests the same.
struct RunRecord: Codable {
    var version = 1
    var pledge = Version.text
    /// The time at which the run began, and the day it was in the local time zone.
    let began: String
    let day: String
    /// What determines the content, by the name of the option or the variable.
    let options: [String: String]
    /// Whether every account has a line, so that a run that begins later is another one.
    var finished = false

    init(_ options: ExportOptions, _ servers: BatchServers) {
        let window = options.window
        (began, day) = (Timestamp.text(window.began), window.today.description)
        var given = [
            "--days": window.first == nil ? "\(window.count)" : nil, "--from": window.first?.description,
            "--through": window.last?.description, "--correlations": options.correlations.rawValue,
            "--sections": ExportOptions.Section.allCases.filter(options.sections.contains).map(\.rawValue)
                .joined(separator: ","),
            "--shard": options.batch.shard.map { "\($0.index)/\($0.count)" },
        ]
        // Those of accounts whose lines have none, without secrets. Others are in the accounts' results.
        for service in AccountID.Service.allCases {
            given[service.addressName] = servers.address(of: service, own: nil).redacted
        }
        self.options = given.compactMapValues(\.self)
    }

    /// Returns the options in which a continued run would differ, as on the command line; empty if there are none.
    ///
    /// The last day is taken from here unless it is given.
    func differences(from other: RunRecord) -> [String] {
        Set(options.keys).union(other.options.keys).sorted().compactMap { name in
            let (then, now) = (options[name], other.options[name])
            guard then != now, name != "--through" || now != nil else { return nil }
            return "\(name) \(then ?? "not given") then, \(now ?? "not given") now"
        }
    }

    /// Returns the days of this run, for one that continues it; nil if they cannot be read.
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

    /// `results.jsonl` has its run in `results.jsonl.run`.
    static func path(beside results: String) -> String { results + ".run" }

    /// - Returns: Nil if there is none.
    init?(at location: any FileLocation) throws {
        guard location.isTaken else { return nil }
        let file = try location.open()
        guard let bytes = try? file.read(Self.largest, at: 0),
            let record = try? TapeDecoder.decode(RunRecord.self, from: JSONTape(Data(bytes))), record.version == 1
        else { throw UsageError("\(location.named) does not describe a run: choose another file for the results.") }
        self = record
    }

    /// Writes it as a whole, or leaves it as it was.
    func write(to location: any FileLocation) throws {
        let replacement = try Replacement(of: location, old: location.isTaken ? location.open() : nil)
        try replacement.file.writeAll(JSONEncoder.repeatable(.prettyPrinted).encode(self) + [UInt8(ascii: "\n")])
        try replacement.replaceOriginal()
    }
}
