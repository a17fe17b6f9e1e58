import Foundation
import PledgeHistory
import PledgeTestSupport
import Testing

@testable import PledgeCommand

@Suite("`pledge sync`")
final class SyncCommandTests: ToolSuite {
    private func rows(_ query: String) throws -> [[SQLValue]] {
        try History(reading: folder.path("a.db")).query(query).rows
    }

    @Test("A sync stores the user's data from both services in a private file, and a second sync finds nothing new")
    func own() async throws {
        let path = folder.path("a.db")
        try await run(["sync", path], saying: "none changed, none removed.")
        #expect(try folder.names == ["a.db"] && folder.mode("a.db") == 0o600)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        for token in [sandboxes.exist.token, sandboxes.participants.token] {
            #expect(bytes.range(of: Data(token.utf8)) == nil)
        }
        let clock = ManualTimekeeper(start: TestClock.noon)
        try await run(["sync", path, "--overlap=0"], clock: clock.timekeeper, saying: "Exist: ")
        #expect(clock.alarmCount == 0)
        let participant = SQLValue.text(sandboxes.participants.participantIdentifier)
        #expect(
            try rows("SELECT service, name FROM account ORDER BY service")
                == [["exist", "maya"], ["mydatahelps", participant]])
        #expect(try rows("SELECT sum(added), sum(changed), sum(removed) FROM sync_run WHERE id > 2") == [[0, 0, 0]])
    }

    @Test("If a service refuses its token, the data of the other service is still stored")
    func refused() async throws {
        let environment = sandboxes.ownEnvironment.adding(["EXIST_TOKEN": "nobody-knows-this-one"])
        let sync = ["sync", folder.path("a.db"), "--quiet"]
        let outcome = try await Tool.run(sync, environment, exits: 2, saying: "Exist: ")
        #expect(!outcome.errors.contains("nobody-knows"))
        #expect(try rows("SELECT service FROM account") == [["mydatahelps"]])
        try await Tool.run(sync, environment.adding(["MYDATAHELPS_TOKEN": "nobody"]), exits: 1)
    }

    @Test("--accept-identity can be repeated to name several accounts, and --full-every 0 means never")
    func options() throws {
        let words = ["a.db", "--accept-removals", "--accept-identity", "a", "--accept-identity", "b", "--full-every"]
        for (days, every) in [("0", nil), ("1", 1)] {
            let sync = try SyncCommandOptions(Arguments(words + [days], of: SyncCommand.command)).sync
            #expect(sync.fullEvery == every && sync.acceptsRemovals && sync.acceptedIdentities == ["a", "b"])
        }
    }

    @Test("A sync's progress says how many requests are left and, if the rate limit slows them, how long they take")
    func progress() {
        for (left, limit, words) in [
            (1, nil, "1 more request."), (300, 200, "300 more requests."),
            (400, 200, "400 more requests, about 30 min at the service's limit."),
        ] {
            let event = SyncCommand.progress("Exist", left: left, available: 300, limit: limit)
            #expect(event.text == "Exist: this sync takes about " + words)
        }
    }

    @Test("After an interrupt, accounts in progress end before their next request, and don't count as done")
    func interruptedAccounts() async throws {
        let process = try ToolRun(
            ["sync", try accounts(1...1), "--database", folder.path("a.db"), "--rate=100000"], sandboxes.environment)
        sandboxes.server.script.next(matching: "GET /api/2/averages") { _ in
            process.interrupt()
            while !process.errors.contains("Finishing the requests in progress") { sched_yield() }
            return nil
        }
        await process.end(130, saying: "\n0 accounts done and 0 failed")
        #expect(try rows("SELECT DISTINCT outcome, error FROM sync_run") == [["ended", nil]])
    }
}
