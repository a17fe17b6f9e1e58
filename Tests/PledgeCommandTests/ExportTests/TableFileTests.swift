import Foundation
import PledgeFiles
import PledgeTestSupport
import Testing

@testable import PledgeCommand

@Suite("Resuming a table", .serialized)
struct TableFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private let header = "service,account,attribute,day,value\r\n"
    private let odd = AccountID(service: .exist, account: "\"odd\", two\nlines\"")
    private let even = AccountID(service: .mydatahelps, account: "even")

    private func row(_ id: AccountID, _ value: String) -> String {
        let fields = [id.service.rawValue, id.account, "note", "2026-11-20", value]
        return String(decoding: CSVTable.row(fields), as: UTF8.self)
    }

    private func open(_ table: CSVTable, done: Set<AccountKey>?) throws -> TableFile {
        try TableFile(table, at: OutputPath(folder.path("r.jsonl")).beside(table.path(beside:)), done: done)
    }

    /// Returns what is left of a table when a run is resumed whose results have these accounts.
    private func resumed(_ text: String, done: [AccountID]) throws -> String {
        try folder.file("r.values.csv", holding: text)
        _ = try open(.values, done: Set(done.map(\.key)))
        return folder.text("r.values.csv")
    }

    @Test(
        "Rows of accounts that have a line are kept, whatever their names and values; the rows after them are removed")
    func cuts() throws {
        let kept = header + row(odd, "say \"hi\",\r\nthen go\n") + row(odd, "") + row(even, "1")
        let dropped = row(AccountID(service: .exist, account: "even"), "2") + row(even, "3")

        #expect(try resumed(kept + dropped, done: [odd, even]) == kept)
        #expect(try resumed(kept, done: [odd, even]) == kept)
        #expect(try resumed(kept, done: [odd]) == header + row(odd, "say \"hi\",\r\nthen go\n") + row(odd, ""))
    }

    @Test("Accounts and texts that look like formulas, or contain a NUL, are recognized")
    func oddTexts() throws {
        let ids = ["=cmd", "'=cmd", "-5", "a\u{0}b", "\u{0}"].map { AccountID(service: .exist, account: $0) }
        let kept = header + ids.map { row($0, "=1\u{0}\n") }.joined()

        #expect(try resumed(kept + row(even, "1"), done: ids) == kept)
        #expect(try resumed(kept + "exist,\0\0\0", done: ids) == kept)
    }

    @Test("A cell may be longer than anything held in memory, with quotes and line breaks at its end")
    func longCell() throws {
        let long = row(odd, String(repeating: "x", count: 3 << 20) + "\"\n\"")
        let kept = header + long + row(even, "1")

        #expect(try resumed(kept + row(AccountID(service: .exist, account: "even"), "2"), done: [odd, even]) == kept)
    }

    @Test("Of a row with any number of line breaks, quotes, and NULs in a cell, only the head is held in memory")
    func linear() {
        var (scan, ends, held) = (RowScan(), 0, 0)
        for byte in Array(row(odd, String(repeating: "\n\"\0", count: 100_000)).utf8) + Array(row(even, "1").utf8) {
            if case .end(let head) = scan.take(byte) {
                ends += 1
                #expect(head.count <= RowScan.headLength)
            }
            held = max(held, scan.head.count)
        }
        #expect(ends == 2 && held == RowScan.headLength)
    }

    @Test("A link in place of a table, and a file of another kind, are left unchanged")
    func planted() throws {
        try folder.file("victim", holding: "")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("r.values.csv"), withDestinationPath: folder.path("victim"))
        for done in [nil, []] as [Set<AccountKey>?] {
            #expect(throws: FileError.self) { try open(.values, done: done) }
        }
        #expect(folder.text("victim").isEmpty)

        for text in ["a=1\n", "a=1\n" + String(repeating: "x", count: 5000)] {
            try folder.file("r.tasks.csv", holding: text)
            #expect(throws: UsageError.self) { try open(.tasks, done: []) }
            #expect(folder.text("r.tasks.csv") == text)
        }
    }

    @Test("A truncated row is removed, wherever it was cut off")
    func torn() throws {
        let (kept, last) = (header + row(even, "1"), row(odd, "say \"hi\",\nthen go"))
        for count in 0..<last.utf8.count {
            let torn = kept + String(decoding: last.utf8.prefix(count), as: UTF8.self)
            #expect(try resumed(torn, done: [odd, even]) == kept, "\(count) bytes")
        }
    }

    @Test("An empty table, or one with half a header, begins anew; one of another run is not changed")
    func fresh() throws {
        for text in ["", "service,acc"] { #expect(try resumed(text, done: []) == header) }

        try folder.file("r.values.csv", holding: "mine")
        #expect(throws: UsageError.self) { try open(.values, done: nil) }
        #expect(folder.text("r.values.csv") == "mine")
    }
}
