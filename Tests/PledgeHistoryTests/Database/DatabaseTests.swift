import Foundation
import PledgeLibraries
import PledgeTestSupport
import Testing

@testable import PledgeHistory

@Suite("A database")
struct DatabaseTests {
    private let scratch: TemporaryFolder
    private let database: Database

    init() throws {
        scratch = try TemporaryFolder()
        database = try Database(writing: scratch.path("a.db"))
    }

    @Test("Stored values are read back with the same type and exactly the same content")
    func kinds() throws {
        try database.run("CREATE TABLE t (place INTEGER PRIMARY KEY, value)")
        let values: [SQLValue] = [
            .null, .integer(.max), .integer(.min), .real(0.1), .real(5), .real(-.infinity), .text(""), .text("é"),
            .text("e\u{301}"), .text("a\0b"), .text("🪴\n'; DROP TABLE t; --"),
        ]
        for (place, value) in values.enumerated() {
            try database.run("INSERT INTO t VALUES (?, ?)", [.integer(place), value])
        }
        #expect(try database.rows("SELECT value FROM t ORDER BY place").map(\.[0]) == values)
        #expect(SQLValue.text("é") != .text("e\u{301}"))
    }

    @Test(
        "A text that is a number in its usual form is stored as a number; any other text is stored unchanged",
        arguments: [
            ("7", .integer(7)), ("-7", .integer(-7)), ("0", .integer(0)), ("7.50", .real(7.5)), ("0.5", .real(0.5)),
            ("-0.5", .real(-0.5)), (".5", .real(0.5)), ("02134", .text("02134")), ("007.5", .text("007.5")),
            ("12345678901234567890", .text("12345678901234567890")), ("1.2.3", .text("1.2.3")), ("-", .text("-")),
            (".", .text(".")), ("+7", .text("+7")), ("1e3", .text("1e3")), ("", .text("")), ("-0", .text("-0")),
        ] as [(String, SQLValue)])
    func numbers(text: String, value: SQLValue) {
        #expect(SQLValue(reading: text) == value)
    }

    @Test("A transaction that fails changes nothing")
    func rollback() throws {
        try database.run("CREATE TABLE t (value UNIQUE)")
        #expect(throws: DatabaseError.self) {
            try database.transaction {
                try database.run("INSERT INTO t VALUES (1)")
                try database.run("INSERT INTO t VALUES (1)")
            }
        }
        #expect(try database.value("SELECT count(*) FROM t") == 0)
        try database.transaction { _ = try database.run("INSERT INTO t VALUES (1)") }
        #expect(try database.value("SELECT count(*) FROM t") == 1)
    }

    @Test("The error for an invalid statement quotes SQLite's message, but no value bound to the statement")
    func wrong() throws {
        #expect(
            throws: DatabaseError(
                .other, "\(database.file): SQLite says “no such table: missing” in “SELECT * FROM missing”.")
        ) { try database.rows("SELECT * FROM missing") }
        try database.run("CREATE TABLE n (k PRIMARY KEY, v NOT NULL)")
        #expect(throws: DatabaseError.self) { try database.put([[1, .null]], into: "n") }
        try database.run("CREATE TABLE t (value CHECK (value < 9))")
        let error = thrown(DatabaseError.self) { try database.run("INSERT INTO t VALUES (?)", [.text("secret")]) }
        #expect(error?.description.contains("secret") == false)
        #expect(throws: DatabaseError.self) { try database.run("INSERT INTO t VALUES (?)", []) }
    }

    @Test("If SQLite is missing, the error explains how to install it")
    func missing() throws {
        // A failing load cannot be tested on a machine that has SQLite.
        let error = DatabaseError.missing("libsqlite3.so.0 cannot be loaded")
        #expect(
            error.description.hasPrefix("SQLite is missing: libsqlite3.so.0 cannot be loaded. Install it with “apt-get")
        )
        #expect(pledge_sqlite_load() == nil)
    }

    @Test("`put` writes only rows that differ from the stored ones, even if the new rows are unsorted or repeated")
    func anyRows() throws {
        let database = try Database.inMemory()
        try database.run("CREATE TABLE t (k TEXT NOT NULL, d, v, PRIMARY KEY (k, d)) WITHOUT ROWID")
        let names = ["", "a", "A", "é", "e\u{301}", "\u{10000}", "\u{FFFD}", "aa"]
        try Fuzzing.run(cases: 300) { seed, generator in
            try database.run("DELETE FROM t")
            var model: [[SQLValue]: SQLValue] = [:]
            for _ in 0..<4 {
                func name() -> SQLValue { .text(names.randomElement(using: &generator) ?? "") }
                let key = Bool.random(using: &generator) ? name() : Optional.none
                let rows = (0..<Int.random(in: 0..<12, using: &generator)).map { _ -> [SQLValue] in
                    let values: [SQLValue] = [.null, 1, .real(1), "1", name()]
                    let day = SQLValue.integer(.random(in: -3..<3, using: &generator))
                    return [key ?? name(), day, values.randomElement(using: &generator) ?? .null]
                }
                let least = Int.random(in: -3..<3, using: &generator)
                let all = Table.Part(key: key.map { [$0] } ?? [], condition: "d >= ?", values: [.integer(least)])
                let part = Bool.random(using: &generator) ? all : nil
                let isAll = part != nil && Bool.random(using: &generator)
                let before = model.count
                let given = Dictionary(rows.map { (Array($0[..<2]), $0[2]) }) { $1 }
                if isAll {
                    model = model.filter { found, _ in
                        given[found] != nil || (found[1].integer ?? 0) < least || found[0] != key ?? found[0]
                    }
                }
                var expected = ChangeCount(removed: before - model.count)
                for row in rows {
                    let old = model.updateValue(row[2], forKey: Array(row[..<2]))
                    if old == nil { expected.added += 1 } else if old != row[2] { expected.changed += 1 }
                }
                var (count, gone) = try database.put(rows, into: "t", comparing: part)
                if isAll {
                    try database.remove(gone, from: database.table("t"), on: "2026-11-20")
                    count.removed = gone.count
                }
                let found = try database.rows("SELECT * FROM t")
                #expect(
                    Dictionary(uniqueKeysWithValues: found.map { (Array($0[..<2]), $0[2]) }) == model, "seed \(seed)")
                #expect(count == expected, "seed \(seed)")
            }
        }
    }
}
