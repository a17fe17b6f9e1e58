import Foundation

/// What an earlier run has left in a results file.
struct ResumeScan {
    var done: Set<AccountKey> = []
    var succeeded = 0
    var failed = 0
    /// Where the last whole line ends; what follows was torn off by whatever ended that run.
    var wholeLength = 0
    /// Where the lines of failed accounts lie.
    var failedLines: [Range<Int>] = []

    /// How much of a line is looked at: its head, which names the account and says whether it failed.
    private static let headLength = 8 << 10

    /// Reads from the descriptor's beginning, a piece at a time.
    init(_ descriptor: Int32, name: String) throws {
        guard lseek(descriptor, 0, SEEK_SET) == 0 else {
            throw Failure("\(name) cannot be read: \(String(cString: strerror(errno))).")
        }
        let lines = LineReader(descriptor, limit: Self.headLength)
        var (offset, number) = (0, 0)
        var broken: Int?
        while let line = try lines.next() {
            number += 1
            let start = offset
            offset += line.length
            let head = ResultHead(line.bytes)
            if head?.isAccount == true {
                throw UsageError("\(name) holds accounts, which are no results: name another file.")
            }
            guard line.isWhole, !line.hasHole, line.last == UInt8(ascii: "}"), let head else {
                // Only at the end is that the trace of a kill; the line after it tells.
                broken = broken ?? number
                continue
            }
            if let broken {
                throw UsageError("Line \(broken) of \(name) is none that “pledge export” wrote: name another file.")
            }
            wholeLength = offset
            done.insert(head.id.key)
            if head.isError {
                failed += 1
                failedLines.append(start..<offset)
            } else {
                succeeded += 1
            }
        }
        // A single broken line could be anything: only what begins as a result does is ours to cut off.
        if broken != nil, wholeLength == 0, try !Self.beginsLikeAResult(descriptor) {
            throw UsageError("\(name) holds something else than results of “pledge export”: name another file.")
        }
    }

    private static func beginsLikeAResult(_ descriptor: Int32) throws -> Bool {
        var start = [UInt8](repeating: 0, count: ResultHead.opening.count)
        let count = pread(descriptor, &start, start.count, 0)
        let read = start.prefix(max(0, count))
        return read.allSatisfy { $0 == 0 } || ResultHead.opening.starts(with: read)
    }
}

/// The beginning of a result: whose it is, and whether it is an error.
struct ResultHead: Equatable {
    var id: AccountID
    var isError: Bool
    /// It is a line of the input, which begins in the same way.
    var isAccount: Bool

    static let opening = Array(#"{"service":""#.utf8)

    /// Nil for a line that is no result. Read by hand, because results are long and resuming should be quick.
    init?(_ bytes: [UInt8]) {
        guard bytes.starts(with: Self.opening) else { return nil }
        let word = bytes[Self.opening.count...].prefix { $0 != UInt8(ascii: "\"") }
        guard let service = AccountID.Service(rawValue: String(decoding: word, as: UTF8.self)) else { return nil }
        let middle = Array(#"","account":"#.utf8)
        let rest = bytes[word.endIndex...]
        guard rest.starts(with: middle) else { return nil }
        let text = rest.dropFirst(middle.count)
        guard text.first == UInt8(ascii: "\""), let end = Self.end(ofText: text),
            let account = try? JSONSerialization.jsonObject(
                with: Data(text[...end]), options: .fragmentsAllowed) as? String
        else { return nil }
        id = AccountID(service: service, account: account)
        isAccount = bytes[(end + 1)...].starts(with: #","token":"#.utf8)
        isError = bytes[(end + 1)...].starts(with: #","error":"#.utf8)
    }

    private static func end(ofText text: ArraySlice<UInt8>) -> Int? {
        var index = text.startIndex + 1
        while index < text.endIndex {
            switch text[index] {
            case UInt8(ascii: "\""): return index
            case UInt8(ascii: "\\"): index += 2
            default: index += 1
            }
        }
        return nil
    }
}
