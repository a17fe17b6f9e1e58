import Foundation
import PledgeHistory
import PledgeTestSupport
import Testing

@testable import PledgeCommand

@Suite("`pledge backup`")
final class BackupCommandTests: ToolSuite {
    init() throws { try super.init(isEmpty: true) }

    private var database: String { folder.path("study.db") }
    private var copy: String { folder.path("copy.db") }

    private func sync(_ options: String...) async throws {
        try await run(["sync", try accounts(1...3), "--database", database, "--rate=100000"] + options)
    }

    private func names(_ path: String) throws -> [[SQLValue]] {
        try History(reading: path).query("SELECT name FROM account ORDER BY name").rows
    }

    @Test("A backup during a run is complete, accessible only to its owner, and can be restored")
    func besideRun() async throws {
        try await sync("--only", "a1", "--only", "a2")
        let running = try History(database)
        _ = try running.forget("a1", of: .exist)
        let said = try await run(["backup", database, copy])
        #expect(said.output == "\(copy) has all data of \(database), as of now.\n")
        #expect(folder.mode("copy.db") == 0o600)
        running.close()
        #expect(try names(copy) == [["a2"]])
        try await sync()
        #expect(try names(database) == [["a1"], ["a2"], ["a3"]])
        try await run(["backup", copy, database])
        try await sync("--only", "a3")
        #expect(try names(database) == [["a2"], ["a3"]])
        // A connection that only reads may leave -wal and -shm files.
        let left = try folder.names.filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
        #expect(left == ["accounts.jsonl", "copy.db", "study.db"])
    }

    @Test("In a folder with the set-group-ID bit, the group can read a backup if it could read the replaced file")
    func group() async throws {
        try await sync("--only", "a1")
        chmod(folder.url.path, 0o2750)
        try await run(["backup", database, copy])
        #expect(folder.mode("copy.db") == 0o600)
        for file in [copy, database] { chmod(file, 0o640) }
        try await run(["backup", database, copy])
        try await run(["backup", copy, database])
        #expect(folder.mode("copy.db") == 0o640 && folder.mode("study.db") == 0o640)
        #expect(try names(database) == [["a1"]])
    }

    @Test("A backup doesn't replace a file that isn't a database, a database with pending changes, or its own source")
    func refused() async throws {
        try await sync("--only", "a1")
        try folder.file("diary.txt", holding: "Dear diary")
        try folder.link("link.db", to: "study.db")
        try folder.file("used.db-wal", holding: "changes")
        let before = FileManager.default.contents(atPath: database)
        for (target, words) in [
            ("diary.txt", "is not a database"), ("link.db", "is the database itself"),
            ("used.db", "used.db-wal still has changes to"), ("none/copy.db", "no such folder"),
        ] {
            try await run(["backup", database, folder.path(target)], exits: 1, saying: words)
        }
        try await run(["backup", folder.path("none.db"), copy], exits: 64, saying: "There is no ")
        #expect(folder.text("diary.txt") == "Dear diary" && !folder.has("copy.db") && !folder.has("used.db"))
        #expect(FileManager.default.contents(atPath: database) == before)
    }
}
