import Foundation
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

    /// What is left of a table when a run goes on whose results have these accounts.
    private func resumed(_ text: String, done: [AccountID]) throws -> String {
        try folder.file("r.values.csv", holding: text)
        let table = try TableFile(.values, beside: folder.path("r.jsonl"), done: Set(done.map(\.key)))
        withExtendedLifetime(table) {}
        return folder.text("r.values.csv")
    }

    @Test("Rows of accounts that have a line stay, whatever their names and values; the rows after them go")
    func cuts() throws {
        let kept = header + row(odd, "say \"hi\",\r\nthen go\n") + row(odd, "") + row(even, "1")
        let dropped = row(AccountID(service: .exist, account: "even"), "2") + row(even, "3")

        #expect(try resumed(kept + dropped, done: [odd, even]) == kept)
        #expect(try resumed(kept, done: [odd, even]) == kept)
        #expect(try resumed(kept, done: [odd]) == header + row(odd, "say \"hi\",\r\nthen go\n") + row(odd, ""))
    }

    @Test("A row that was torn goes, wherever it was torn")
    func torn() throws {
        let (kept, last) = (header + row(even, "1"), row(odd, "say \"hi\",\nthen go"))
        for count in 0..<last.utf8.count {
            let torn = kept + String(decoding: last.utf8.prefix(count), as: UTF8.self)
            #expect(try resumed(torn, done: [odd, even]) == kept, "\(count) bytes")
        }
    }

    @Test("A table that has nothing, or half a header, begins anew; one of another run is not touched")
    func fresh() throws {
        for text in ["", "service,acc"] { #expect(try resumed(text, done: []) == header) }

        try folder.file("r.values.csv", holding: "mine")
        #expect(throws: UsageError.self) { try TableFile(.values, beside: folder.path("r.jsonl"), done: nil) }
        #expect(folder.text("r.values.csv") == "mine")
    }
}
