import Foundation

/// The content of a results file that an earlier run has left.
struct ResumeScan {
    struct Failure {
        var key: AccountKey
        var kind: String
        /// Whether the error may be temporary.
        var isPassing: Bool
        /// The position of its line.
        var lines: Range<Int>
    }

    var done: Set<AccountKey> = []
    var failures: [Failure] = []
    /// The base URL in the lines of each service; a nil value for none.
    private(set) var addresses: [AccountID.Service: URL?] = [:]
    /// The end of the last complete line; the rest was cut off when that run ended.
    var wholeLength = 0

    /// The number of bytes of a line that are read: its start names the account and tells whether it failed.
    private static let headLength = 8 << 10

    init() {}

    /// Reads a file from its beginning, in chunks.
    init(_ file: any RawFile) throws {
        let name = file.name
        let lines = LineReader(limit: Self.headLength, read: file.pieces)
        var (offset, number) = (0, 0)
        var broken: Int?
        while let line = try lines.next() {
            number += 1
            let start = offset
            offset += line.length
            let head = ResultHead(line.bytes)
            if head?.isAccount == true {
                throw UsageError("\(name) contains accounts, not results: choose another file.")
            }
            guard line.isWhole, !line.hasHole, line.last == UInt8(ascii: "}"), let head else {
                // Only at the end is it the trace of a kill, which the next line tells.
                broken = broken ?? number
                continue
            }
            if let broken {
                throw UsageError("Line \(broken) of \(name) was not written by “pledge export”: choose another file.")
            }
            guard done.insert(head.id.key).inserted else {
                throw UsageError(
                    "Line \(number) of \(name) is a second line for \(head.id.service.rawValue) account "
                        + "“\(head.id.account.onOneLine)”: remove one of them, and start again.")
            }
            wholeLength = offset
            addresses[head.id.service] = .some(head.address)
            if let error = head.error {
                failures.append(
                    Failure(
                        key: head.id.key, kind: error.kind, isPassing: error.isPassing, lines: start..<offset))
            }
        }
        // A single broken line could be anything: only the beginning of a result is ours to cut off.
        let opening = ResultHead.opening
        if broken != nil, wholeLength == 0, try !file.read(opening.count, at: 0).isTornBeginning(of: opening) {
            throw UsageError("\(name) does not contain results of “pledge export”: choose another file.")
        }
    }
}

extension [UInt8] {
    /// Whether these bytes are the beginning of `whole`, part of which a power failure may have left as zeros.
    func isTornBeginning(of whole: [UInt8]) -> Bool {
        let kept = prefix { $0 != 0 }
        return whole.starts(with: kept) && dropFirst(kept.count).allSatisfy { $0 == 0 }
    }
}

/// The start of a result: its account, and whether it is an error.
struct ResultHead {
    var id: AccountID
    /// The base URL of the account's server, if the line has one.
    var address: URL?
    var error: (kind: String, isPassing: Bool)?
    /// Whether it is a line of the input, which begins in the same way.
    var isAccount: Bool

    static let opening = Array(#"{"service":""#.utf8)

    /// Nil for a line that is not a result. Parsed manually, because results are long and resuming should be quick.
    init?(_ bytes: [UInt8]) {
        var rest = bytes[...]
        guard rest.skip(#"{"service":"#), let word = rest.skipText(),
            let service = AccountID.Service(rawValue: Self.plain(word)), rest.skip(#","account":"#),
            let text = rest.skipText(),
            let account = try? JSONSerialization.jsonObject(with: Data(text), options: .fragmentsAllowed) as? String
        else { return nil }
        id = AccountID(service: service, account: account)
        if rest.skip(#","address":"#) {
            address = rest.skipText().flatMap { text in
                (try? JSONSerialization.jsonObject(with: Data(text), options: .fragmentsAllowed) as? String)
                    .flatMap(URL.init(string:))
            }
        }
        isAccount = rest.starts(with: #","token":"#.utf8)
        guard rest.skip(#","error":{"kind":"#), let kind = rest.skipText().map(Self.plain) else { return }
        // Lines of an older version lack this mark.
        error = (kind, isPassing: rest.skip(#","passing":true"#) || AccountError.passingKinds.contains(kind))
    }

    /// Returns the content of a text without escapes.
    private static func plain(_ text: ArraySlice<UInt8>) -> String {
        String(decoding: text.dropFirst().dropLast(), as: UTF8.self)
    }
}

extension ArraySlice<UInt8> {
    /// Removes these bytes from the beginning; returns false if it has others.
    fileprivate mutating func skip(_ text: String) -> Bool {
        guard starts(with: text.utf8) else { return false }
        removeFirst(text.utf8.count)
        return true
    }

    /// Removes and returns a JSON text with its quotes; nil if there is none, or if it has no end.
    fileprivate mutating func skipText() -> ArraySlice? {
        guard first == UInt8(ascii: "\"") else { return nil }
        var end = startIndex + 1
        while end < endIndex, self[end] != UInt8(ascii: "\"") { end += self[end] == UInt8(ascii: "\\") ? 2 : 1 }
        guard end < endIndex else { return nil }
        defer { self = self[(end + 1)...] }
        return self[...end]
    }
}
