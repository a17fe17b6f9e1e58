import ExistKit
import Foundation
import PledgeCoding
import PledgeFiles

/// The record of a run, which is stored in a file beside the results. It contains the options that determine the
/// content of the results, so that a resumed run requests the same data.
struct RunRecord: Codable {
    var version = 1
    var pledge = Version.text
    /// The time at which the run began. `day` is the day of this time in the local time zone.
    let began: String
    let day: String
    /// The options and environment variables that determine the content of the results, with their values.
    let options: [String: String]
    /// Whether every account has a line. If every account has one, a later run starts new results.
    var finished = false

    init(_ options: ExportOptions, _ servers: BatchServers) {
        let window = options.window
        began = Timestamp.text(window.began)
        day = window.today.description
        var given = [
            "--days": window.first == nil ? "\(window.count)" : nil, "--from": window.first?.description,
            "--through": window.last?.description,
            "--sections": ExportOptions.Section.allCases.filter(options.sections.contains).map(\.rawValue)
                .joined(separator: ","),
            "--shard": options.batch.shard.map { "\($0.index)/\($0.count)" },
        ]
        // These addresses are for accounts whose lines name no server. They are stored without passwords and other
        // secrets.
        for service in AccountID.Service.allCases {
            given[service.addressName] = servers.address(of: service, own: nil).redacted
        }
        self.options = given.compactMapValues(\.self)
    }

    /// Returns texts about the options that differ between this run and a run that resumes it. If the resumed run has
    /// no `--through`, this doesn't count as a difference, because the resumed run then uses the last day of this run.
    func differences(from other: RunRecord) -> [String] {
        Set(options.keys).union(other.options.keys).sorted().compactMap { name in
            let then = options[name]
            let now = other.options[name]
            guard then != now, name != "--through" || now != nil else { return nil }
            return "\(name) \(then ?? "not given") then, \(now ?? "not given") now"
        }
    }

    /// Returns the days that a run must request to resume this run; nil if the record is invalid.
    ///
    /// - Parameter given: The days that the resumed run would request on its own.
    func window(_ given: ExportDays) -> ExportDays? {
        var window = given
        window.last = options["--through"].flatMap { ExistDay($0) }
        guard let began = Timestamp.parse(began)?.date, let today = ExistDay(day),
            options["--through"] == nil || window.last != nil
        else { return nil }
        window.began = began
        window.today = today
        return window
    }
}

extension RunRecord {
    private static let largest = 64 << 10

    /// The suffix that is added to the name of the results to get the name of the record.
    static let suffix = ".run"

    /// Reads the record. Returns nil if there is none.
    init?(at location: any FileLocation) throws {
        guard location.isTaken else { return nil }
        let file = try location.open()
        guard let bytes = try? file.read(Self.largest, at: 0),
            let record = try? TapeDecoder.decode(RunRecord.self, from: JSONTape(Data(bytes))), record.version == 1
        else { throw UsageError("\(location.path) does not describe a run: choose another file for the results.") }
        self = record
    }

    /// Returns the record of the run that this run continues, and the days that it requests. Throws a usage error if
    /// there is no such record, or if its options differ from those of this run.
    func begun(
        at place: any FileLocation, of results: any FileLocation, _ given: ExportDays
    ) throws -> (RunRecord, ExportDays) {
        guard let begun = try RunRecord(at: place), let window = begun.window(given) else {
            throw UsageError(
                "\(results.path) cannot be continued, because \(place.path), which states what was requested and on "
                    + "which day, is missing: choose another file.")
        }
        let differences = begun.differences(from: self)
        guard differences.isEmpty else {
            throw UsageError(
                "\(results.path) was started with other options: \(differences.joined(separator: "; ")). Use the same "
                    + "options, or choose another file.")
        }
        return (begun, window)
    }

    /// Writes the record. An existing record is replaced atomically.
    func write(to location: any FileLocation) throws {
        let replacement = try Replacement(of: location, old: location.isTaken ? location.open() : nil)
        try replacement.file.writeAll(JSONEncoder.repeatable(.prettyPrinted).encode(self) + [UInt8(ascii: "\n")])
        try replacement.replaceOriginal()
    }
}
