import Foundation
import Pledge
import PledgeTestSupport
import Testing

@testable import PledgeHistory

@Suite("Erasing an account")
struct ErasureTests {
    private let scratch: TemporaryFolder
    init() throws { scratch = try TemporaryFolder() }

    private var path: String { scratch.path("a.db") }

    /// Returns the number of an account's rows in all tables.
    private func rows(_ history: History, account: Int) throws -> Int {
        try Schema.children.reduce(0) { $0 + (try history.count($1, "account = \(account)")) }
    }

    @Test("Erasing an account leaves none of its data in the file or beside it, and other accounts keep everything")
    func erased() async throws {
        let (exist, participant) = (try ExistFixture(isSmall: true), try ParticipantFixture())
        let history = try History(path)
        exist.sandbox.setValue("only-hers", of: "mood_note", on: "2026-11-18")
        try await exist.sync(history, as: "maya-the-first")
        exist.sandbox.setValue("only-his", of: "mood_note", on: "2026-11-18")
        try await exist.sync(history, as: "noah")
        try await participant.sync(history)
        // An account belongs to one service, and its name is case-sensitive.
        #expect(try history.forget("maya-the-first", of: .mydatahelps) == nil)
        #expect(try history.forget("Maya-the-first", of: .exist) == nil)
        let others = try history.content().filter { !$0.contains("account=1i") && !$0.contains("maya-the-first") }
        let erased = try #require(try history.forget("maya-the-first", of: .exist))
        #expect(erased["account"] == 1 && erased["survey_task"] == nil)
        #expect(try #require(erased["value"]) > 1000)
        #expect(erased["sync_run"] == 1)
        #expect(try rows(history, account: 1) == 0)
        #expect(try history.content() == others)
        #expect(try history.query("PRAGMA integrity_check").rows == [["ok"]])
        history.close()
        let bytes = try Data(contentsOf: URL(fileURLWithPath: scratch.path("a.db")))
        for text in ["maya-the-first", "only-hers"] { #expect(bytes.range(of: Data(text.utf8)) == nil) }
        #expect(bytes.range(of: Data("only-his".utf8)) != nil)
        #expect(try scratch.names == ["a.db"])
    }

    @Test("If a reader keeps old data in the journal, erasing fails as busy; once the reader is gone, it succeeds")
    func reader() async throws {
        let fixture = try ExistFixture(isEmpty: true)
        let history = try History(path)
        try await fixture.sync(history)
        var reader: Database? = try Database(reading: path)
        try reader?.run("BEGIN")
        _ = try reader?.value("SELECT count(*) FROM account")
        _ = try history.withDatabase { try $0.value("PRAGMA busy_timeout = 1") }
        #expect(thrown(DatabaseError.self) { try history.forget("maya", of: .exist) }?.kind == .busy)
        reader = nil
        #expect(try history.forget("maya", of: .exist) == nil)
        #expect(try history.query("SELECT count(*) FROM account").rows == [[0]])
    }

    @Test("If another program deletes an account, its rows are deleted on opening, and its number isn't reused")
    func byHand() async throws {
        let fixture = try ExistFixture(isSmall: true)
        do {
            let history = try History(path)
            try await fixture.sync(history)
            #expect(try rows(history, account: 1) > 0)
        }
        // Like SQLite's shell, Python doesn't enforce foreign keys by default. It waits up to 600 s for the file, which
        // a thread of the sync may still have open.
        let deletion = "import sqlite3\nwith sqlite3.connect('\(path)', 600) as db: db.execute(\"DELETE FROM account\")"
        try #require(Executable.run(["python3", "-c", deletion]).status == 0)
        let history = try History(path)
        #expect(try rows(history, account: 1) == 0)
        try await fixture.sync(history, as: "noah")
        #expect(try history.query("SELECT id, name FROM account").rows == [[2, "noah"]])
    }

    @Test(
        "If the open file was deleted, renamed, or replaced, a sync fails, says so, and doesn't write to it",
        arguments: ["deleted", "renamed", "replaced"])
    func gone(_ what: String) async throws {
        let fixture = try ExistFixture(attributes: ["steps"])
        let (path, other) = (scratch.path("a.db"), scratch.path("b.db"))
        let history = try History(path)
        try await fixture.sync(history)
        if what == "deleted" {
            try FileManager.default.removeItem(atPath: path)
        } else {
            try FileManager.default.moveItem(atPath: path, toPath: other)
        }
        if what == "replaced" { try scratch.file("a.db", holding: "another file") }
        let error = await thrown(DatabaseError.self) { try await fixture.sync(history) }
        #expect(error?.kind == .unusableFile)
        #expect(error?.description.contains("was deleted, renamed, or replaced while it was open") == true)
        if what == "replaced" { #expect(scratch.text("a.db") == "another file") }
        guard what == "renamed" else { return }
        try FileManager.default.moveItem(atPath: other, toPath: path)
        fixture.sandbox.setValue(7, of: "steps", on: "2026-11-20")
        try await fixture.sync(history)
        #expect(try history.query("SELECT value FROM latest").rows == [[7]])
        #expect(try history.query("PRAGMA integrity_check").rows == [["ok"]])
    }
}
