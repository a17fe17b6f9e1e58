import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeCommand

@Suite("Scanning the results of an earlier run", .serialized)
struct ResumeScanTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func scan(_ text: String) throws -> ResumeScan {
        let handle = try FileHandle(forReadingFrom: folder.file("r.jsonl", holding: text))
        defer { try? handle.close() }
        return try ResumeScan(SystemFile(handle.fileDescriptor, named: "r.jsonl", closes: false))
    }

    private func line(_ account: String, failed: Bool = false) throws -> String {
        let draft = Draft(AccountID(service: .exist, account: account), withTables: false)
        try draft.write { page in
            page.json.object(failed ? "error" : "profile") { json in
                if failed { json.field("kind", "forbidden") }
                json.field("text", "\"}{\\")
            }
        }
        var bytes: [UInt8] = []
        try draft.finish().line.forEachPiece { bytes += $0 }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("The scan finds the accounts that are done and those that failed, whatever their names")
    func whole() throws {
        let names = [
            "a", "with \"quotes\" and \\", "Åsa 🎈\n", String(repeating: "\u{1}", count: AccountLine.longestName),
        ]
        let text = try names.map { try line($0) }.joined() + line("f", failed: true)
        let scan = try scan(text)

        #expect(scan.done == Set((names + ["f"]).map { AccountID(service: .exist, account: $0).key }))
        #expect(scan.failures.map(\.key) == [AccountID(service: .exist, account: "f").key])
        #expect(scan.failures.map(\.kind) == ["forbidden"])
        #expect(scan.wholeLength == text.utf8.count)
    }

    @Test("If the last line is cut at any byte, everything before it counts, and nothing of it")
    func torn() throws {
        let (first, second) = (try line("a"), try line("b"))
        for kept in 0..<second.utf8.count {
            let scan = try scan(first + String(decoding: second.utf8.prefix(kept), as: UTF8.self))
            #expect(scan.wholeLength == first.utf8.count && scan.done.count == 1, "kept \(kept)")
        }
        for kept in 0..<first.utf8.count {
            #expect(try scan(String(decoding: first.utf8.prefix(kept), as: UTF8.self)).wholeLength == 0)
        }
    }

    @Test("An end that was lost in a power failure is removed, including its zeros")
    func zeros() throws {
        let first = try line("a")
        let lost = String(decoding: try line("b").utf8.prefix(20), as: UTF8.self) + "\0\0\0\0}\n\0\0"

        #expect(try scan(first + lost).wholeLength == first.utf8.count)
        #expect(try scan("\0\0\0").wholeLength == 0)
    }

    @Test("A file of another kind, or with other content inside, is rejected")
    func foreign() throws {
        #expect(throws: UsageError.self) { try scan("my diary\n") }
        #expect(throws: UsageError.self) { try scan("name,value") }
        #expect(throws: UsageError.self) { try scan(line("a") + "{}\n" + line("b")) }
    }

    @Test("A long line is spooled to a file, and comes out complete")
    func spooled() throws {
        let draft = Draft(AccountID(service: .exist, account: "a"), withTables: true)
        for number in 0..<30_000 {
            try draft.write { page in
                page.json.object("item") { $0.field("number", number) }
                page.row(.values, [.number("\(number)")])
            }
        }
        let (line, tables) = try draft.finish()
        var bytes: [UInt8] = []
        var longest = 0
        try line.forEachPiece { piece in
            bytes += piece
            longest = max(longest, piece.count)
        }

        #expect(bytes.count == line.count && bytes.count > 3 * Spool.mostInMemory)
        #expect(longest <= Spool.mostInMemory)
        #expect(String(decoding: bytes.suffix(25), as: UTF8.self) == #""item":{"number":29999}}"# + "\n")
        #expect(tables[.values].map { $0.count > 30_000 * 9 } == true)
    }
}
