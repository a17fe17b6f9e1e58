import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeHistory

@Suite("Searching a database for a text")
struct TextSearchTests {
    private let scratch: TemporaryFolder
    init() throws { scratch = try TemporaryFolder() }

    private var path: String { scratch.path("a.db") }

    /// Creates a file with small pages, so that few rows are enough to put a text at every offset of a page.
    private func database(_ settings: String...) throws -> Database {
        let database = try Database(writing: path)
        for setting in ["page_size = 512"] + settings { _ = try database.value("PRAGMA \(setting)") }
        try Schema.create(in: database)
        return database
    }

    private func found(_ text: String) throws -> [String: Int] {
        let rows = try TextSearch.rows([SoughtText(text)], in: path)
        #expect(rows.unseen.isEmpty)
        return rows.found[0]
    }

    /// Returns the columns of a table, and which of them must have a value.
    private func columns(
        of table: String, _ database: Database
    ) throws -> [(name: String, type: String, isNeeded: Bool)] {
        try database.rows("SELECT name, type, \"notnull\" OR pk FROM pragma_table_info(?)", [.text(table)]).map {
            ("\($0[0])", "\($0[1])", $0[2] != 0)
        }
    }

    /// Returns lengths for a text that follows the sought text in a value. The length determines the sought text's
    /// offset in its page, because SQLite fills whole pages with the end of a long value. In a long run, the lengths
    /// lead to every offset; in a normal run, to every sixteenth.
    private func tails(from first: Int) -> StrideTo<Int> {
        stride(from: 40 + (Rounds.isLong ? 0 : first % 16), to: 40 + 512, by: Rounds.isLong ? 1 : 16)
    }

    @Test("A text is found in every column of every table, at every offset of a page")
    func everywhere() throws {
        let text = "ann.erased@example.org"
        var expected: [String: Int] = [:]
        do {
            let database = try database("synchronous = OFF", "journal_mode = OFF")
            let tables = try database.rows(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
            for table in tables.map({ "\($0[0])" }) {
                let columns = try columns(of: table, database)
                for column in columns where column.type == "TEXT" || column.type.isEmpty {
                    let others = columns.filter { $0.isNeeded && $0.name != column.name }
                    let list = ([column] + others).map(\.name).joined(separator: ", ")
                    let marks = Array(repeating: "?", count: others.count + 1).joined(separator: ", ")
                    let lengths = tails(from: expected.count)
                    try database.transaction {
                        for length in lengths {
                            let padded =
                                String(repeating: "x", count: 300) + text + String(repeating: "y", count: length)
                            let number = expected.count * 1000 + length
                            try database.run(
                                "INSERT INTO \(table) (\(list)) VALUES (\(marks))",
                                [.text(padded)]
                                    + others.map { $0.type == "INTEGER" ? .integer(number) : .text("\(number)") })
                        }
                    }
                    expected["\(table).\(column.name)"] = Array(lengths).count
                }
            }
        }
        #expect(expected.count > 100)
        #expect(try found(text) == expected)
    }

    @Test(
        "A text is found in deleted rows, at every offset of a page",
        arguments: ["UTF-8", "UTF-16le", "UTF-16be"])
    func deleted(encoding: String) throws {
        func text(_ offset: Int) -> String { "ann-\(offset + 1000)é@example.org" }
        let database = try database("encoding = '\(encoding)'", "journal_mode = WAL", "wal_autocheckpoint = 0")
        let offsets = stride(from: 0, to: 512, by: Rounds.isLong ? 1 : 3)
        for offset in offsets {
            let padded = String(repeating: "x", count: 300) + text(offset) + String(repeating: "y", count: 40 + offset)
            try database.run("INSERT INTO sync_run (account, started, error) VALUES (1, '', ?)", [.text(padded)])
        }
        try database.run("DELETE FROM sync_run")
        let (file, log) = try (read(path), read(path + "-wal"))
        let pages = try #require(DatabasePages(file, log: log))
        var inPieces = 0
        #expect(try found("@example.org").isEmpty)
        for offset in offsets {
            let sought = SoughtText(text(offset))
            let isWhole = log.withUnsafeBytes { log in
                sought.forms.contains { SoughtText.first($0, in: log) != nil }
            }
            if !isWhole { inPieces += 1 }
            #expect(isWhole || pages.hasInPieces(sought), "\(offset)")
        }
        #expect(inPieces > 3)
        for other in ["ann-2000é@example.org", "ann-10000é@example.org"] {
            #expect(!pages.hasInPieces(SoughtText(other)))
        }
    }

    @Test("A text is found in the pages of a rollback journal")
    func journal() throws {
        let text = "ann.erased@example.org"
        let database = try database("journal_mode = PERSIST")
        try database.transaction {
            for offset in 0..<512 {
                let padded = String(repeating: "x", count: 300) + text + String(repeating: "y", count: 40 + offset)
                try database.run("INSERT INTO sync_run (account, started, error) VALUES (1, '', ?)", [.text(padded)])
            }
        }
        try database.run("UPDATE sync_run SET error = replace(error, 'ann.erased', 'xxx.xxxxxx')")
        let (file, journal) = try (read(path), read(path + "-journal"))
        #expect(journal.count > 512 * 512)
        let sought = SoughtText(text)
        #expect(DatabasePages(file)?.hasInPieces(sought) == false)
        #expect(DatabasePages(file, journal: journal)?.hasInPieces(sought) == true)
    }

    private func read(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

    @Test("A text is found in every encoding in which services and this package store texts")
    func encodings() throws {
        let text = #"Zoë "O'Néil" <a/b> 100 % & more"#
        let json = String(decoding: try JSONEncoder().encode([text]), as: UTF8.self)
        let stored = [
            text, text.decomposedStringWithCanonicalMapping, json, json.replacingOccurrences(of: "ë", with: #"\u00eb"#),
            String(decoding: try JSONEncoder().encode([json]), as: UTF8.self),
            try #require(text.addingPercentEncoding(withAllowedCharacters: .alphanumerics)),
            #"{"html":"Zo&euml; Zo&#xEB; &quot;O&#39;N&#233;il&quot; &lt;a/b&gt; 100 % &amp; more"}"#,
        ]
        do {
            let database = try database()
            for (number, value) in stored.enumerated() {
                try database.run(
                    "INSERT INTO account (service, name) VALUES (?, ?)", [.text("\(number)"), .text(value)])
            }
            try database.run("CREATE TABLE own (a, b BLOB)")
            for encoding in [String.Encoding.utf16LittleEndian, .utf16BigEndian, .utf8] {
                let bytes = try #require(text.data(using: encoding)).map { String(format: "%02x", $0) }.joined()
                try database.runAll("INSERT INTO own (b) VALUES (x'\(bytes)')")
            }
        }
        #expect(try found(text) == ["account.name": stored.count, "own.b": 3])
        #expect(try found("Zoa").isEmpty && found("100 % & less").isEmpty)
    }

    @Test("A text is found where it is stored as a number, and in the names and definitions of tables")
    func numbers() throws {
        do {
            let database = try database()
            try database.run("CREATE TABLE \"notes of Ann\" (a, b, c)")
            try database.run("INSERT INTO \"notes of Ann\" VALUES (4915112345678, 7.5, '7.50')")
        }
        #expect(try found("4915112345678") == ["notes of Ann.a": 1] && found("+4915112345678") == ["notes of Ann.a": 1])
        #expect(try found("7.50") == ["notes of Ann.b": 1, "notes of Ann.c": 1])
        #expect(
            try found("of Ann").keys.sorted() == ["sqlite_master.name", "sqlite_master.sql", "sqlite_master.tbl_name"])
        #expect(try found("49151").isEmpty && found("nan").isEmpty)
    }

    @Test("A search reports what it can't read: compressed values, virtual tables, and damaged tables")
    func unseen() throws {
        do {
            let database = try database()
            // This fails if SQLite was built without the FTS5 module.
            try? database.runAll("CREATE VIRTUAL TABLE words USING fts5(a)")
            try database.runAll("CREATE TABLE own (a); INSERT INTO own VALUES (x'1f8b08000000'), (NULL), ('ann')")
            for _ in 0..<500 {
                try database.run("INSERT INTO own VALUES (?)", [.text(String(repeating: "x", count: 300))])
            }
        }
        let hasWords = try Database(reading: path).value("SELECT count(*) FROM sqlite_master WHERE name = 'words'") == 1
        let rows = try TextSearch.rows([SoughtText("ann")], in: path)
        #expect(rows.found == [["own.a": 1]])
        #expect(rows.unseen.contains("“own.a” of \(path) has compressed data, which was not searched."))
        #expect(rows.unseen.contains("The virtual table “words” of \(path) was not searched.") == hasWords)
        var bytes = try read(path)
        for place in bytes.count / 2..<bytes.count { bytes[place] = 0xA5 }
        try bytes.write(to: URL(fileURLWithPath: path))
        let damaged = try TextSearch.rows([SoughtText("ann")], in: path)
        #expect(damaged.unseen.contains { $0.hasPrefix("The table “own” cannot be read to its end.") }, "\(damaged)")
    }
}
