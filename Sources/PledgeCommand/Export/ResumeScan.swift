import Foundation
import PledgeBatch
import PledgeCoding
import PledgeFiles

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
