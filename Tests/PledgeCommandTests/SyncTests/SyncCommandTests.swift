import Foundation
import PledgeHistory
import PledgeTestSupport
import Testing

@testable import PledgeCommand

@Suite("`pledge sync`", .timeLimit(.minutes(60)))
struct SyncCommandTests {
    @Test("The user's data from both services is stored in a private file, and the second run finds nothing new")
    func own() async throws {
        let (folder, services) = (try TemporaryFolder(), try BothSandboxes())
        let path = folder.path("a.db")
        let first = try await Tool.run(["sync", path], services.ownEnvironment)
        #expect(first.status == 0, "\(first.errors)")
        #expect(first.errors.contains("none changed, none removed."))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["a.db"])
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        for token in [services.exist.token, services.participants.token] {
            #expect(bytes.range(of: Data(token.utf8)) == nil)
        }
        let second = try await Tool.run(["sync", path, "--overlap=0"], services.ownEnvironment)
        #expect(second.status == 0)
        #expect(second.errors.contains("Exist: "))
        let history = try History(reading: path)
        #expect(
            try history.query("SELECT service, name FROM account ORDER BY service").rows == [
                ["exist", "maya"], ["mydatahelps", .text(services.participants.participantIdentifier)],
            ])
        let differences = try history.query("SELECT sum(added), sum(changed), sum(removed) FROM sync_run WHERE id > 2")
        #expect(differences.rows == [[0, 0, 0]])
    }

    @Test("Without a token, the data is from the sandbox, and labeled as such")
    func sandbox() async throws {
        let folder = try TemporaryFolder()
        let outcome = try await Tool.run(["sync", folder.path("a.db"), "--quiet"])
        #expect(outcome.status == 0)
        #expect(outcome.errors.onOneLine.contains("this is a demo with sample data"))
        let history = try History(reading: folder.path("a.db"))
        #expect(try history.query("SELECT DISTINCT name FROM account").rows == [["sandbox"]])
    }

    @Test("A service that refuses does not keep the other from being read")
    func refused() async throws {
        let (folder, services) = (try TemporaryFolder(), try BothSandboxes())
        var environment = services.ownEnvironment
        environment["EXIST_TOKEN"] = "nobody-knows-this-one"
        let outcome = try await Tool.run(["sync", folder.path("a.db")], environment)
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("Exist: ") && !outcome.errors.contains("nobody-knows"))
        let history = try History(reading: folder.path("a.db"))
        #expect(try history.query("SELECT service FROM account").rows == [["mydatahelps"]])
    }

    @Test(
        "Invalid arguments are rejected with a reference to the help",
        arguments: [
            [], ["a.db", "b.db"], ["accounts.jsonl"], ["a.db", "--in-flight=3"], ["a.db", "--overlap=x"],
            ["a.jsonl", "--database=a.db", "--token-kind=simple"], ["--database=/tmp/never.db"],
        ])
    func usage(_ arguments: [String]) async throws {
        let outcome = try await Tool.run(["sync"] + arguments)
        #expect(outcome.status == 64)
        #expect(outcome.errors.hasSuffix("Try “pledge help sync”.\n"))
    }

    @Test("Neither metrics nor a summary replace the database, or the files that SQLite keeps beside it")
    func filesForTwo() async throws {
        let (folder, services) = (try TemporaryFolder(), try BothSandboxes(isEmpty: true))
        let file = try folder.file("accounts.jsonl", holding: services.lines(1...2)).path
        let arguments = ["sync", file, "--database", folder.path("study.db"), "--rate=100000"]
        for more in [
            ["--metrics", folder.path("study.db")], ["--summary", folder.path("study.db-wal")],
            ["--summary", folder.path("study.db-claim")],
        ] {
            let outcome = try await Tool.run(arguments + more, services.environment)
            #expect(outcome.status == 64 && outcome.errors.contains("is the file for results"), "\(outcome.errors)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["accounts.jsonl"])
    }

    @Test("Many accounts are stored in one database, each under its name, including one that fails")
    func accounts() async throws {
        let (folder, services) = (try TemporaryFolder(), try BothSandboxes())
        services.participants.rateLimit = 100_000
        let lines =
            services.lines(1...4) + #"{"service":"exist","account":"stranger","token":"unknown-token-x"}"# + "\n"
        let file = try folder.file("accounts.jsonl", holding: lines).path
        let arguments = ["sync", file, "--database", folder.path("study.db"), "--rate=100000"]
        let outcome = try await Tool.run(arguments, services.environment)
        #expect(outcome.status == 2, "\(outcome.errors)")
        #expect(outcome.errors.contains("1 unauthorized"))
        let history = try History(reading: folder.path("study.db"))
        #expect(
            try history.query(
                "SELECT service, name, outcome FROM account JOIN sync_run ON account = account.id ORDER BY name"
            ).rows
                == [
                    ["exist", "a1", "done"], ["mydatahelps", "a2", "done"], ["exist", "a3", "done"],
                    ["mydatahelps", "a4", "done"], ["exist", "stranger", "failed"],
                ])
        #expect(try history.query("SELECT error FROM sync_run WHERE error LIKE '%unknown-token%'").rows == [])
        let counts = try history.query("SELECT account, count(*) FROM value GROUP BY account").rows
        #expect(counts.count == 2 && counts[0][1] == counts[1][1])
        let again = try await Tool.run(arguments, services.environment)
        #expect(again.status == 2)
        let differences = try history.query("SELECT sum(added), sum(changed), sum(removed) FROM sync_run WHERE id > 5")
        #expect(differences.rows == [[0, 0, 0]])
    }

    @Test("A database is rejected as a file of accounts")
    func databaseAsInput() async throws {
        let folder = try TemporaryFolder()
        try History(folder.path("a.db")).close()
        let outcome = try await Tool.run(["sync", folder.path("a.db"), "--database", folder.path("b.db")])
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("a.db is a SQLite database, not lines of accounts"), "\(outcome.errors)")
        #expect(!FileManager.default.fileExists(atPath: folder.path("b.db")))
    }

    @Test("An interrupt ends accounts in progress between two requests, and they do not count as done")
    func interruptedAccounts() async throws {
        let (folder, services) = (try TemporaryFolder(), try BothSandboxes(isEmpty: true))
        let file = try folder.file("accounts.jsonl", holding: services.lines(1...1)).path
        let process = try ToolRun(
            ["sync", file, "--database", folder.path("study.db"), "--rate=100000"], services.environment)
        services.server.script.next(matching: "GET /api/2/averages") { _ in
            process.interrupt()
            while !process.errors.contains("Finishing the requests in progress") { sched_yield() }
            return nil
        }
        #expect(await process.end() == 130, "\(process.errors)")
        #expect(process.errors.contains("\n0 accounts done and 0 failed"), "\(process.errors)")
        let history = try History(reading: folder.path("study.db"))
        #expect(try history.query("SELECT DISTINCT outcome, error FROM sync_run").rows == [["ended", nil]])
    }
}
