import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeHistory

@Suite("History files")
struct HistoryFileTests {
    private func kind(_ body: () throws -> History) -> DatabaseError.Kind? {
        do {
            _ = try body()
            return nil
        } catch {
            return (error as? DatabaseError)?.kind
        }
    }

    @Test("The statements of ad hoc queries are not kept")
    func queries() throws {
        let scratch = try TemporaryFolder()
        let history = try History(scratch.path("a.db"))
        let kept = try history.read { $0.statements.count }
        for number in 0..<50 {
            #expect(
                try history.query("SELECT \(number) AS number, ?", ["x"])
                    == History.Answer(columns: ["number", "?"], rows: [[.integer(number), "x"]]))
        }
        #expect(try history.read { $0.statements.count } == kept)
    }

    @Test("The file and those beside it are accessible only to their owner")
    func mode() throws {
        let scratch = try TemporaryFolder()
        let history = try History(scratch.path("a.db"))
        try history.write { _ = try $0.run("INSERT INTO account (service, name) VALUES ('exist', 'maya')") }
        for name in ["a.db", "a.db-wal", "a.db-shm", "a.db-claim"] {
            let mode = try FileManager.default.attributesOfItem(atPath: scratch.path(name))[.posixPermissions]
            #expect(mode as? Int == 0o600, "\(name)")
        }
    }

    @Test("While a sync runs, a second one is refused; once the first has ended, it is allowed")
    func twoAtOnce() throws {
        let scratch = try TemporaryFolder()
        var first: History? = try History(scratch.path("a.db"))
        #expect(kind { try History(scratch.path("a.db")) } == .busy)
        #expect(first != nil)
        first = nil
        #expect(kind { try History(scratch.path("a.db")) } == nil)
    }

    @Test(
        "A sync that is refused and a reader do not affect the locks of the first sync",
        .enabled(if: Python.path != nil))
    func locks() throws {
        let scratch = try TemporaryFolder()
        let path = scratch.path("a.db")
        let first = try History(path)
        let insertion = "INSERT INTO account (service, name) VALUES ('exist', ?)"
        try first.write { _ = try $0.run(insertion, ["maya"]) }
        #expect(kind { try History(path) } == .busy)
        try History(reading: path).close()
        // A process that finds no lock of another takes itself for the last one, and removes the journal.
        #expect(try Python.query("SELECT name FROM account", in: path) == #"[["maya"]]"#)
        #expect(FileManager.default.fileExists(atPath: "\(path)-wal"))
        try first.write { _ = try $0.run(insertion, ["noah"]) }
        #expect(try Python.query("SELECT name FROM account", in: path) == #"[["maya"], ["noah"]]"#)
    }

    @Test("A link is the same file as its target, even if the target does not exist yet")
    func links() throws {
        let scratch = try TemporaryFolder()
        let (path, link) = (scratch.path("a? b%41#é.db"), scratch.path("link.db"))
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "a? b%41#é.db")
        let first = try History(link)
        #expect(kind { try History(path) } == .busy)
        #expect(kind { try History(link) } == .busy)
        first.close()
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: scratch.url.path).sorted() == [
                "a? b%41#é.db", "link.db",
            ])
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        #expect(try History(reading: link).query("SELECT count(*) FROM value").rows == [[0]])
    }

    @Test("A read-only file in a read-only folder can be read", .enabled(if: geteuid() != 0))
    func onlyReading() throws {
        let scratch = try TemporaryFolder()
        let path = scratch.path("a? b%41#é.db")
        try History(path).close()
        try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: path)
        try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: scratch.url.path)
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: scratch.url.path) }
        #expect(try History(reading: path).query("SELECT count(*) FROM value").rows == [[0]])
        #expect(kind { try History(path) } == .readOnly)
    }

    @Test("A process that is being started does not hold a claim that was released meanwhile")
    func inherited() throws {
        let scratch = try TemporaryFolder()
        var claim: FileClaim? = try FileClaim(scratch.path("a.db"))
        // What a child process holds until it becomes the program.
        let inherited = dup(try #require(claim).descriptor)
        defer { close(inherited) }
        claim = nil
        #expect(kind { try History(scratch.path("a.db")) } == nil)
    }

    @Test(
        "A file that is not a usable history is left unchanged",
        arguments: ["text", "another program's", "newer", "folder", "no folder"])
    func notOurs(_ what: String) throws {
        let scratch = try TemporaryFolder()
        let path = scratch.path("a.db")
        var expected = DatabaseError.Kind.notOurs
        switch what {
        case "text":
            try Data("Dear diary, this is no database at all, but a text of some length.".utf8).write(
                to: URL(fileURLWithPath: path))
        case "another program's":
            let other = try Database(writing: path)
            try other.run("CREATE TABLE theirs (x)")
        case "newer":
            let newer = Schema.migrations
            _ = try History(
                path,
                steps: Migrations(applicationID: newer.applicationID, steps: newer.steps + ["CREATE TABLE later (x)"]),
                pages: nil)
            expected = .tooNew
        case "folder":
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            expected = .unusableFile
        default:
            expected = .unusableFile
            #expect(kind { try History(scratch.path("none/a.db")) } == expected)
            return
        }
        let before = FileManager.default.contents(atPath: path)
        #expect(kind { try History(path) } == expected)
        #expect(FileManager.default.contents(atPath: path) == before)
    }

    @Test("A damaged file is recognized and left unchanged")
    func damaged() throws {
        let scratch = try TemporaryFolder()
        let path = scratch.path("a.db")
        _ = try History(path)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        for place in 100..<bytes.count { bytes[place] = 0x5A }
        try bytes.write(to: URL(fileURLWithPath: path))
        #expect(kind { try History(path) } == .corrupt)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
    }

    @Test("A full disk is an error with advice, and existing data is kept")
    func full() async throws {
        let (scratch, bench) = (try TemporaryFolder(), try ExistBench())
        let path = scratch.path("a.db")
        let tight = try History(path, steps: Schema.migrations, pages: 60)
        let error = await thrown(DatabaseError.self) { try await bench.sync(tight) }
        #expect(error?.kind == .full)
        #expect(error?.description.contains("free some space") == true)
        let kept = try tight.query("SELECT count(*) FROM value").rows[0][0].integer ?? 0
        #expect(kept > 0)
        #expect(try tight.query("PRAGMA integrity_check").rows == [["ok"]])
    }

    @Test("A write that SQLite does not permit is an error with an explanation, for any user")
    func notForWriting() throws {
        let scratch = try TemporaryFolder()
        try History(scratch.path("a.db")).close()
        let database = try Database(reading: scratch.path("a.db"))
        let error = thrown(DatabaseError.self) { try database.run("DELETE FROM value") }
        #expect(error?.kind == .readOnly && error?.description.contains("cannot be written") == true)
        #expect(FileClaim.failure("a.db", EROFS).kind == .readOnly)
    }

    @Test("A file without write permission is reported as read-only", .enabled(if: geteuid() != 0))
    func readOnly() throws {
        let scratch = try TemporaryFolder()
        _ = try History(scratch.path("a.db"))
        try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: scratch.path("a.db"))
        #expect(kind { try History(scratch.path("a.db")) } == .readOnly)
    }

    @Test("A reader can read during a sync but never write, and a missing file or a folder is an error")
    func reading() throws {
        let scratch = try TemporaryFolder()
        let path = scratch.path("a.db")
        #expect(kind { try History(reading: path) } == .unusableFile)
        let writer = try History(path)
        let reader = try History(reading: path)
        #expect(try reader.query("SELECT count(*) FROM value").rows == [[0]])
        #expect(throws: DatabaseError.self) { try reader.query("DELETE FROM value") }
        _ = writer
        let folder = thrown(DatabaseError.self) { try History(reading: scratch.url.path) }
        #expect(folder?.description == "\(scratch.url.path) is a folder: choose a file in it.")
    }

    @Test("A file of the first version gets the views and keeps its data")
    func upgrade() throws {
        let scratch = try TemporaryFolder()
        let first = Migrations(
            applicationID: Schema.migrations.applicationID, steps: Array(Schema.migrations.steps[..<1]))
        do {
            let old = try History(scratch.path("a.db"), steps: first, pages: nil)
            try old.write { _ = try $0.run("INSERT INTO account (service, name) VALUES ('exist', 'maya')") }
        }
        let history = try History(scratch.path("a.db"))
        #expect(try history.query("SELECT name FROM account").rows == [["maya"]])
        #expect(try history.query("SELECT count(*) FROM daily").rows == [[0]])
    }
}
