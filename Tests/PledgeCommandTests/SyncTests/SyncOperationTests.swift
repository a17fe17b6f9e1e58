import Foundation
import PledgeHistory
import PledgeTestSupport
import Testing

@testable import PledgeCommand

@Suite("`pledge sync` of many accounts, operated", .timeLimit(.minutes(60)))
struct SyncOperationTests {
    private let folder: TemporaryFolder
    private let services: BothSandboxes

    init() throws {
        (folder, services) = (try TemporaryFolder(), try BothSandboxes(isEmpty: true))
        services.participants.rateLimit = 100_000
    }

    private func input(_ lines: String...) throws {
        try folder.file("accounts.jsonl", holding: lines.joined(separator: "\n") + "\n")
    }

    private func sync(_ options: String...) async throws -> Tool.Outcome {
        try await Tool.run(
            ["sync", folder.path("accounts.jsonl"), "--database", folder.path("study.db"), "--rate=100000"] + options,
            services.environment)
    }

    private func runs(_ columns: String) throws -> [[SQLValue]] {
        let history = try History(reading: folder.path("study.db"))
        return try history.query(
            "SELECT name, \(columns) FROM account JOIN sync_run ON account = account.id ORDER BY sync_run.id"
        ).rows
    }

    @Test("A refused list is an error of its account: in the exit code, the log, the summary, and the database")
    func refusedList() async throws {
        services.server.script.next(.max, matching: "/api/2/insights/", respond: .json(["detail": "No."], status: 403))
        try input(services.line(1), services.line(2))
        let outcome = try await sync("--summary", folder.path("summary.json"))
        #expect(outcome.status == 2, "\(outcome.errors)")
        #expect(outcome.errors.contains("1 account done and 1 failed"), "\(outcome.errors)")
        #expect(outcome.errors.contains("Errors: 1 forbidden. Lists: "), "\(outcome.errors)")
        #expect(outcome.errors.contains("insight 1 forbidden"), "\(outcome.errors)")
        let summary = try #require(
            try JSONSerialization.jsonObject(with: Data(folder.text("summary.json").utf8)) as? [String: Any])
        #expect((summary["lists"] as? [String: [String: Int]])?["insight"] == ["forbidden": 1], "\(summary)")
        #expect(Set(try runs("outcome, kind")) == [["a1", "done", "forbidden"], ["a2", "done", .null]])
        #expect(try await sync("--accept-errors", "--only", "a1").status == 0)
    }

    @Test("A token of someone else is an error of its account, which is not changed until it is accepted by name")
    func identity() async throws {
        try input(services.line(1), services.line(3))
        #expect(try await sync().status == 0)
        let swapped = services.line(1).replacingOccurrences(of: "secret-exist-1", with: "secret-exist-3")
        try input(swapped, services.line(3))
        let outcome = try await sync()
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("Errors: 1 identity."), "\(outcome.errors)")
        #expect(try await sync("--accept-identity", "a3").status == 2)
        #expect(try await sync("--accept-identity", "a1").status == 0)
        let history = try History(reading: folder.path("study.db"))
        #expect(try history.query("SELECT DISTINCT username FROM account").rows == [["user of a3"]])
    }

    @Test("Selected accounts are synced alone: by name, or by the error of their last run")
    func selected() async throws {
        try input(services.line(1), services.line(2), #"{"service":"exist","account":"x","token":{"env":"MISSING"}}"#)
        #expect(try await sync().status == 2)
        // An account without a token is recorded, too.
        #expect(try runs("kind").last == ["x", "noToken"])
        #expect(try await sync("--only", "a1").status == 0)
        #expect(try await sync("--only", "a1", "--only", "a2").status == 0)
        #expect(try await sync("--retry", "noToken").status == 2)
        #expect(try await sync("--retry", "unauthorized").status == 0)
        #expect(try await sync("--retry", "all", "--only", "a2").status == 0)
        #expect(try runs("1").dropFirst(3).map { $0[0] } == ["a1", "a1", "a2", "x"])
        let typo = try await sync("--only", "a9")
        #expect(typo.status == 64 && typo.errors.contains("has no account “a9”"), "\(typo.errors)")
        let kind = try await sync("--retry", "tokenless")
        #expect(kind.status == 64 && kind.errors.contains("There is no kind of error “tokenless”"), "\(kind.errors)")
    }

    @Test("A check shows what would fail, and writes nothing")
    func check() async throws {
        try input(services.line(1), #"{"service":"exist","account":"stranger","token":"unknown-token-x"}"#)
        let outcome = try await sync("--check")
        #expect(outcome.status == 2)
        #expect(outcome.output.contains("stranger  exist    unauthorized"), "\(outcome.output)")
        #expect(!FileManager.default.fileExists(atPath: folder.path("study.db")))
    }

    @Test("A database that is replaced during a run ends it with exit code 1, and is not written")
    func replaced() async throws {
        try input(services.line(1))
        let (path, other) = (folder.path("study.db"), folder.path("other.db"))
        services.server.script.next(matching: "GET /api/2/averages") { _ in
            try? FileManager.default.moveItem(atPath: path, toPath: other)
            try? Data("another file".utf8).write(to: URL(fileURLWithPath: path))
            return nil
        }
        let outcome = try await sync()
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("was deleted, renamed, or replaced while it was open"), "\(outcome.errors)")
        #expect(folder.text("study.db") == "another file")
    }
}
