import ExistKit
import Foundation
import PledgeCoding
import PledgeFiles

/// The record of a run, in a small file beside its results: the options that determine their content, so that a run
/// that continues them requests the same.
struct RunRecord: Codable {
    /// The version of the file format.
    var version = 1
    var pledge = Version.text
    /// The time at which the run began, and the day it was in the local time zone.
    var began: String
    var day: String
    var days: Int?
    var from: String?
    var through: String?
    var sections: [String]
    var correlations: String
    var shard: String?
    /// The base URLs of accounts whose lines have none, without secrets. Others are in the accounts' results.
    var services: [String: String]
    /// False until every account has a line; nil in the record of an older version.
    private var finished: Bool?

    /// Whether a run that begins later is another one.
    var isFinished: Bool {
        get { finished ?? true }
        set { finished = newValue }
    }

    init(_ options: ExportOptions, _ clients: BatchClients) {
        began = Timestamp.text(options.window.began)
        day = options.window.today.description
        days = options.window.first == nil ? options.window.count : nil
        from = options.window.first?.description
        through = options.window.last?.description
        sections = ExportOptions.Section.allCases.filter(options.sections.contains).map(\.rawValue)
        correlations = options.correlations.rawValue
        finished = false
        shard = options.batch.shard.map { "\($0.index)/\($0.count)" }
        services = Dictionary(
            uniqueKeysWithValues: AccountID.Service.allCases.map {
                ($0.rawValue, clients.defaultAddress(of: $0).redacted)
            })
    }

    /// Returns the options in which a continued run would differ, as on the command line; empty if there are none.
    ///
    /// The last day is taken from here unless it is given.
    func differences(from other: RunRecord) -> [String] {
        func pair(_ name: String, _ ours: String?, _ theirs: String?) -> String? {
            ours == theirs ? nil : "\(name) \(ours ?? "not given") then, \(theirs ?? "not given") now"
        }
        return [
            pair("--days", days.map(String.init), other.days.map(String.init)), pair("--from", from, other.from),
            other.through.flatMap { pair("--through", through, $0) },
            pair("--sections", sections.joined(separator: ","), other.sections.joined(separator: ",")),
            pair("--correlations", correlations, other.correlations), pair("--shard", shard, other.shard),
            pair("EXIST_BASE_URL", services["exist"], other.services["exist"]),
            pair("MYDATAHELPS_BASE_URL", services["mydatahelps"], other.services["mydatahelps"]),
        ].compactMap { $0 }
    }

    /// Returns the days of this run, for one that continues it; nil if they cannot be read.
    func window(_ given: ExportDays) -> ExportDays? {
        var window = given
        window.last = through.flatMap { ExistDay($0) }
        guard let began = Timestamp.parse(began)?.date, let today = ExistDay(day),
            through == nil || window.last != nil
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
        else {
            throw UsageError(
                "\(location.named) does not describe the run; --adopt treats the results as those of the current options."
            )
        }
        self = record
    }

    /// Writes it as a whole, or leaves it as it was.
    func write(to location: any FileLocation) throws {
        let replacement = try Replacement(of: location, old: location.isTaken ? location.open() : nil)
        try replacement.file.writeAll(JSONEncoder.repeatable(.prettyPrinted).encode(self) + [UInt8(ascii: "\n")])
        try replacement.replaceOriginal()
    }
}
