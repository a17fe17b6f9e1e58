import Foundation
import PledgeHistory
import PledgeSandbox
import PledgeTestSupport
import Testing

@testable import PledgeCommand

@Suite("Operating `pledge sync` with many accounts")
final class SyncOperationTests: ToolSuite {
    init() throws {
        try super.init(isEmpty: true)
        sandboxes.participants.rateLimit = 100_000
    }

    private func input(_ lines: String...) throws { _ = try accounts(lines.joined(separator: "\n") + "\n") }

    @discardableResult
    private func sync(
        _ options: String..., exits code: Int32 = 0, saying words: String...,
        at location: SourceLocation = #_sourceLocation
    ) async throws -> Tool.Outcome {
        try await ToolRun(
            ["sync", folder.path("accounts.jsonl"), "--database", folder.path("study.db"), "--rate=100000"] + options,
            sandboxes.environment
        ).end(code, words, at: location)
    }

    private func runs(_ columns: String) throws -> [[SQLValue]] {
        let history = try History(reading: folder.path("study.db"))
        return try history.query(
            "SELECT name, \(columns) FROM account JOIN sync_run ON account = account.id ORDER BY sync_run.id"
        ).rows
    }

    @Test(
        "If a service refuses one account's list or token, only that account fails; exit code, log, and database say so"
    )
    func refusedList() async throws {
        sandboxes.server.script.next(.max, matching: "/api/2/insights/", respond: .json(["detail": "No."], status: 403))
        let stranger = #"{"service":"exist","account":"stranger","token":"unknown-token"}"#
        try input(sandboxes.line(1), sandboxes.line(2), stranger)
        try await sync(
            exits: 2, saying: "1 account done and 2 failed", "Errors: 1 forbidden, 1 unauthorized. Lists: ",
            "insight 1 forbidden")
        #expect(
            Set(try runs("outcome, kind")) == [
                ["a1", "done", "forbidden"], ["a2", "done", .null], ["stranger", "failed", "unauthorized"],
            ])
        try await sync("--accept-errors", "--only", "a1")
    }

    @Test("If the service failed for an account in the last run, the account runs last and doesn't count as an outage")
    func failedBefore() async throws {
        sandboxes.server.script.next(.max, matching: "GET /api/") { request in
            let number = request.headers["Authorization"].flatMap { Int($0.drop { !$0.isNumber }) } ?? 0
            return 1...12 ~= number ? .empty(500) : nil
        }
        _ = try accounts(sandboxes.lines(1...30))
        for night in 0..<2 {
            let before = sandboxes.server.requests.count
            let outcome = try await ToolRun(
                [
                    "sync", folder.path("accounts.jsonl"), "--database", folder.path("study.db"), "--in-flight", "4",
                ], sandboxes.environment, clock: .jumping()
            ).end(2)
            #expect(outcome.errors.contains("18 accounts done and 12 failed"), "\(outcome.errors)")
            guard night > 0 else { continue }
            #expect(!outcome.errors.contains("is down"))
            let numbers = sandboxes.server.requests.dropFirst(before).compactMap {
                $0.headers["Authorization"].flatMap { Int($0.drop { !$0.isNumber }) }
            }
            #expect(Set(numbers.prefix { $0 > 12 }).count >= 18 - 4)
        }
    }

    private static let broken = ServerResponse.json(["count": 2, "next": .null, "results": [[:], [:]]])

    @Test(
        "Unreadable items are reported and counted, and lead to exit code 4, even with --quiet, unless accepted")
    func unreadable() async throws {
        sandboxes.server.script.next(.max, matching: "/api/2/averages/", respond: Self.broken)
        try input(sandboxes.line(1), sandboxes.line(2), sandboxes.line(3))
        let words = "4 items could not be read, and are missing: 4 average."
        let outcome = try await sync("--quiet", "--metrics", folder.path("m.prom"), exits: 4, saying: words)
        #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome.errors)")
        let series = #"pledge_items_unreadable_total{command="sync",shard="0/1",service="exist",list="average"} 4"#
        #expect(folder.lines("m.prom").contains(series))
        #expect(
            Set(try runs("outcome, kind")) == [
                ["a1", "done", "unreadable"], ["a2", "done", .null], ["a3", "done", "unreadable"],
            ])
        try await sync("--quiet", "--accept-unreadable", saying: words)
        try await sync("--retry", "unreadable", exits: 4, saying: "2 accounts done")
        // An account with an error fails, even if unreadable items are accepted.
        sandboxes.server.script.next(.max, matching: "/api/2/insights/", respond: .json(["detail": "No."], status: 403))
        try await sync("--accept-unreadable", exits: 2, saying: words)
        try await sync("--accept-errors", exits: 4, saying: words)
    }

    @Test("If no item of a list can be read any more, its account fails, even with --accept-unreadable")
    func nothing() async throws {
        try input(sandboxes.line(1))
        sandboxes.exist.addAttribute("steps")
        sandboxes.exist.setValue(7, of: "steps", on: "2026-11-20")
        try await sync()
        sandboxes.server.script.next(
            .max, matching: "/api/2/attributes/",
            respond: .json(["count": 1, "next": .null, "results": [["name": ["no"]]]]))
        try await sync("--accept-unreadable", exits: 2, saying: "Lists: attribute 1 unreadable")
    }

    @Test("Unreadable items of your own account are reported, with exit code 4 unless they are accepted")
    func own() async throws {
        sandboxes.server.script.next(.max, matching: "/api/2/averages/", respond: Self.broken)
        let arguments = ["sync", folder.path("a.db"), "--quiet"]
        try await run(arguments, exits: 4, saying: "Exist: 2 items could not be read, and are missing: 2 average.")
        try await run(
            arguments + ["--accept-unreadable"],
            saying: "Missing in average: item 1: user_attribute is missing.")
        sandboxes.server.script.next(.max, matching: "/api/2/insights/", respond: .json(["detail": "No."], status: 403))
        try await run(arguments, exits: 2)
    }

    @Test("--wait limits how long a sync waits, both for your own account and for many accounts")
    func wait() async throws {
        try await run(
            ["sync", folder.path("a.db"), "--rate=3", "--wait=3"], exits: 1,
            saying: "the service permits no request for another 3", "allow a longer wait with --wait")
        try input(sandboxes.line(1))
        try await run(
            ["sync", folder.path("accounts.jsonl"), "--database", folder.path("study.db"), "--rate=3", "--wait=3"],
            exits: 2, saying: "1 rateLimited")
    }

    @Test("If an account's token belongs to another person, the account fails until --accept-identity names it")
    func identity() async throws {
        try input(sandboxes.line(1), sandboxes.line(3))
        try await sync()
        let swapped = sandboxes.line(1).replacingOccurrences(of: "secret-exist-1", with: "secret-exist-3")
        try input(swapped, sandboxes.line(3))
        try await sync(exits: 2, saying: "Errors: 1 identity.")
        try await sync("--accept-identity", "a3", exits: 2)
        try await sync("--accept-identity", "a1")
        let history = try History(reading: folder.path("study.db"))
        #expect(try history.query("SELECT DISTINCT username FROM account").rows == [["user of a3"]])
    }

    @Test("--only selects accounts by name, and --retry selects them by the error of their last run")
    func selected() async throws {
        try input(sandboxes.line(1), sandboxes.line(2), #"{"service":"exist","account":"x","token":{"env":"MISSING"}}"#)
        try await sync(exits: 2)
        // The failed run of an account without a token is recorded, too.
        #expect(try runs("kind").last == ["x", "noToken"])
        try await sync("--only", "a1")
        try await sync("--only", "a1", "--only", "a2")
        try await sync("--retry", "noToken", exits: 2)
        try await sync("--retry", "unauthorized")
        try await sync("--retry", "all", "--only", "a2")
        #expect(try runs("1").dropFirst(3).map { $0[0] } == ["a1", "a1", "a2", "x"])
        // A sync of only some accounts can't write metrics, because such metrics would end alarms that other accounts
        // have caused.
        for part in ["--only=a1", "--retry=all"] {
            try await sync(part, "--metrics", folder.path("m.prom"), exits: 64, saying: "is for all accounts")
        }
        try await sync("--only", "a9", exits: 64, saying: "has no account “a9”")
        try await sync("--retry", "tokenless", exits: 64, saying: "There is no kind of error “tokenless”")
    }
}
