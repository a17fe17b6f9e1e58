import ExistKit
import Foundation
import PledgeBatch
import PledgeCoding
import PledgeFiles

/// The beginning of a run: creates the results, or continues existing results if they belong to the same run.
struct ExportStart {
    let lines: LinesFile
    private(set) var earlier = ResumeScan()
    /// The servers that the accounts in the results use. If the input is a file, the servers of its accounts are
    /// included. Nil without `--resume`.
    private(set) var servers: BatchServers?
    /// The days to request. If the run continues results, they are the days of the earlier run.
    private(set) var window: ExportDays
    /// The number of accounts that are repeated. Their old lines have been removed.
    private(set) var retried = 0
    /// The repeated accounts for which a service failed in the earlier run.
    private(set) var failedBefore: Set<HashKey> = []
    /// The number of accounts that have a line in the results but are not in the input; 0 if the input's accounts are
    /// unknown.
    private(set) var unknown = 0
    /// The number of accounts that would be repeated if the input were a file.
    private(set) var unretried = 0
    /// The record of the run, and its location; nil for results that cannot be continued.
    private var record: (location: any FileLocation, content: RunRecord)?

    var done: Set<HashKey> { earlier.done }

    /// Starts results that go to standard output, a device, or a pipe. Such results cannot be continued.
    init(_ stream: SystemFile, _ options: ExportOptions) {
        lines = LinesFile(stream)
        window = options.window
    }

    /// Starts results in a file, or continues the results that the file contains. Throws a usage error if the file
    /// belongs to another run.
    ///
    /// - Parameters:
    ///   - accounts: The accounts of the input; nil if they are unknown.
    ///   - servers: The servers of the input's accounts, as far as they are known.
    init(
        at location: any FileLocation, _ options: ExportOptions, accounts: Set<HashKey>?, servers: BatchServers
    ) throws {
        lines = try LinesFile(results: location)
        window = options.window
        if options.resume {
            earlier = try ResumeScan(lines.file)
        } else if try lines.file.isDatabase {
            throw UsageError("\(lines.name) is a SQLite database: choose another file.")
        } else if try lines.file.length() > 0 {
            throw UsageError("\(lines.name) has results: add --resume to continue them, or choose another file.")
        }
        var record = RunRecord(options, servers)
        let place = try location.beside(RunRecord.suffix)
        if earlier.done.isEmpty {
            try record.write(to: place)
        } else {
            (record, window) = try record.begun(at: place, of: location, window)
        }
        self.record = (place, record)
        if options.resume { try resume(location, options, accounts: accounts, servers: servers) }
    }

    /// Checks that the accounts of the results use these servers, and removes the lines of the accounts to repeat.
    private mutating func resume(
        _ location: any FileLocation, _ options: ExportOptions, accounts: Set<HashKey>?, servers: BatchServers
    ) throws {
        var known = servers
        for (service, address) in earlier.addresses.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            try known.take(service, own: address, from: location.path)
        }
        self.servers = known
        let again = try again(options, accounts)
        failedBefore = earlier.failedAtService.intersection(again)
        if let accounts { unknown = done.subtracting(accounts).count }
        try lines.truncate(toLines: earlier.wholeLength)
        if !again.isEmpty {
            try lines.drop(earlier.failures.filter { again.contains($0.id.key) }.map(\.lines))
            earlier = try ResumeScan(lines.file)
        }
        try save(isFinished: false)
        retried = again.count
    }

    /// Records whether every account has a line. If every account has one, a run on another day starts new results.
    mutating func save(isFinished: Bool) throws {
        guard let location = record?.location, record?.content.finished != isFinished else { return }
        record?.content.finished = isFinished
        try record?.content.write(to: location)
    }

    /// Returns the accounts to repeat. They are all in the input. If an account is not in the input, its line is kept,
    /// because this run would not write a new one.
    private mutating func again(_ options: ExportOptions, _ accounts: Set<HashKey>?) throws -> Set<HashKey> {
        let failures = earlier.failures.filter { failure in
            options.retried.map { !$0.isDisjoint(with: ["all", failure.kind]) } ?? failure.isPassing
        }
        let chosen = Set(failures.map(\.id.key))
        if let accounts { return chosen.intersection(accounts) }
        guard options.retried == nil else {
            throw UsageError(
                "--retry requires the accounts in a file, because those of a pipe are not known in advance.")
        }
        unretried = chosen.count
        return []
    }
}

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
    fileprivate func begun(
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

/// The content of an earlier run's results, as far as a resumed run needs it.
struct ResumeScan {
    struct Failure {
        var id: AccountID
        var kind: String
        var isPassing: Bool
        var lines: Range<Int>
    }

    private(set) var done: Set<HashKey> = []
    private(set) var failures: [Failure] = []
    /// The counts of the results, by service. Items that could not be read are counted under the name `earlier`,
    /// because the results do not show in which list they were.
    private(set) var tallies: [String: BatchTally] = [:]
    /// The base URL that the lines of each service contain. The value is nil if the lines contain none.
    private(set) var addresses: [AccountID.Service: URL?] = [:]
    /// The end of the last complete line. If the earlier run was killed, a partial line may follow.
    private(set) var wholeLength = 0

    /// The accounts for which a service failed.
    var failedAtService: Set<HashKey> {
        Set(failures.filter { AccountError.serviceKinds.contains($0.kind) }.map(\.id.key))
    }

    /// The maximum length of a line that is read as a whole. If a line is longer, the items of its lists are left out.
    static let longest = 1 << 20

    init() {}

    /// Reads the results in a file, without reading the whole file into memory. Throws `UsageError` for a line that is
    /// not a result.
    init(_ file: any RawFile, _ onLine: (AccountID, Range<Int>) -> Void = { _, _ in }) throws {
        let lines = LineReader(file, limit: Self.longest)
        let scan = try LineScan(lines, opening: #"{"service":""#) { line in
            guard let head = try ResultHead(line, of: file) else { return .unreadable }
            if head.isAccount {
                throw UsageError("\(file.name) contains accounts, not results: choose another file.")
            }
            guard done.insert(head.id.key).inserted else {
                return .foreign("is a second line for \(head.id.title)")
            }
            // If the last line has no line feed, the range includes the line feed that will be added.
            let range = line.range.lowerBound..<line.range.upperBound + (line.isWhole ? 0 : 1)
            addresses[head.id.service] = .some(head.address)
            let service = head.id.service.rawValue
            if head.unreadable > 0 {
                tallies[service, default: BatchTally()].unreadable["earlier", default: 0] += head.unreadable
            }
            onLine(head.id, range)
            if let (kind, isPassing) = head.error {
                tallies[service, default: BatchTally()].errors[kind, default: 0] += 1
                failures.append(Failure(id: head.id, kind: kind, isPassing: isPassing, lines: range))
            } else {
                tallies[service, default: BatchTally()].done += 1
            }
            return .result
        }
        wholeLength = scan.wholeLength
        guard let refusal = scan.refusal(of: file.name) else { return }
        throw UsageError(
            done.isEmpty
                ? "\(file.name) does not contain results of “pledge export”: choose another file." : refusal)
    }
}

extension LineReader.Line {
    /// Returns the bytes of the line. If the line is long, the items of its lists are left out, so that memory use
    /// doesn't depend on the length of the line.
    fileprivate func withoutItems(of file: any RawFile) throws -> Data {
        guard range.count > ResumeScan.longest else { return Data(bytes) }
        var head = Data()
        var items = ItemScanner()
        var offset = range.lowerBound
        while offset < range.upperBound {
            let piece = try file.read(min(256 << 10, range.upperBound - offset), at: offset)
            guard !piece.isEmpty else { throw FileError("\(file.name) was truncated while it was being read.") }
            offset += piece.count
            head.append(contentsOf: piece.filter { !items.takes($0) })
        }
        return head
    }
}

/// Finds the items of lists in a line, one byte after another. Only lists that are members of the line itself count.
private struct ItemScanner {
    private var depth = 0
    private var isText = false
    private var isEscaped = false
    private var isList = false

    /// Takes the next byte of the line, and returns whether it belongs to an item of a list.
    mutating func takes(_ byte: UInt8) -> Bool {
        let isItem = isList && depth > 1
        if isText {
            isText = isEscaped || byte != UInt8(ascii: "\"")
            isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
            return isItem
        }
        switch byte {
        case UInt8(ascii: "\""): isText = true
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            depth += 1
            if depth == 2 { isList = byte == UInt8(ascii: "[") }
        case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
        default: break
        }
        return isItem && depth > 1
    }
}

/// The members of a result that a resumed run needs.
private struct ResultHead {
    var id: AccountID
    var address: URL?
    var error: (kind: String, isPassing: Bool)?
    var unreadable = 0
    /// Whether the line describes an account of an input. Such a line begins like a result, but contains a token.
    var isAccount: Bool

    /// Reads a line. Returns nil if the line is not a result.
    init?(_ line: LineReader.Line, of file: any RawFile) throws {
        let head = try line.withoutItems(of: file)
        do {
            self = try JSONTape(head).withValue { (line) throws(TapeFailure) in try ResultHead(line) }
        } catch {
            return nil
        }
    }

    private init(_ line: TapeValue) throws(TapeFailure) {
        var line = try line.fields()
        let service = try line.required("service").parsed("it is not a service") {
            AccountID.Service(rawValue: String(decoding: $0, as: UTF8.self))
        }
        id = AccountID(service: service, account: try line.required("account").text())
        if let text = try line.present("address")?.lenientText() { address = URL(string: text) }
        isAccount = line.value("token") != nil
        var run = try line.present("run")?.fields()
        unreadable = try run?.present("unreadable")?.lenientInt() ?? 0
        guard var failure = try line.present("error")?.fields() else { return }
        error = (try failure.required("kind").text(), failure.flag("passing") ?? false)
    }
}
