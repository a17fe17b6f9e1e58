import Foundation
import Pledge
import PledgeSandbox
import PledgeTestSupport
import Testing

@testable import PledgeCommand

@Suite("`pledge export` under limits and outages", .serialized)
final class ExportLimitsTests: ToolSuite {
    /// Writes a file with accounts of Exist only, and returns its path.
    private func exist(_ numbers: ClosedRange<Int>) throws -> String {
        try accounts(numbers.map { sandboxes.line(2 * $0 - 1) + "\n" }.joined())
    }

    private var profiles: [String] { ["--output", folder.path("r.jsonl"), "--sections", "profile"] }

    @Test("While accounts wait for a rate limit, other accounts run in their place")
    func parked() async throws {
        let limited = Set((1...8).map { "Bearer secret-exist-\(2 * $0 - 1)" })
        let healthy = Counter()
        let run = try sandboxes.start {
            try start([try exist(1...28), "--in-flight", "8"] + profiles, clock: .noon)
        } answering: { request, run in
            if limited.contains(request.headers["Authorization"] ?? "") { return .empty(429) }
            if healthy.next() == 20 { run.interrupt() }
            return nil
        }
        await run.end(130)
        #expect(try Set(results.map(\.account)) == Set((9...28).map { "a\(2 * $0 - 1)" }))
        #expect(sandboxes.server.requests.count == 28)
    }

    @Test("Accounts that always fail don't delay other accounts, and run last in every later night")
    func poison() async throws {
        sandboxes.server.script.next(.max, matching: "GET /api/2/accounts/profile/") { request in
            let number = request.headers["Authorization"].flatMap { Int($0.drop { !$0.isNumber }) } ?? 0
            return number < 24 ? .empty(500) : nil
        }
        let (path, day) = (try exist(1...40), "results-%F.jsonl")
        let output = ["--output", folder.path(day), "--sections", "profile", "--resume"]
        for night in 0..<2 {
            let before = sandboxes.server.requests.count
            let outcome = try await export([path] + output, clock: .jumping(days: Double(night)), exits: 2)
            #expect(outcome.errors.contains("28 accounts done and 12 failed"), "\(outcome.errors)")
            guard night > 0 else { continue }
            #expect(!outcome.errors.contains("is down"))
            let first = sandboxes.server.requests.dropFirst(before).prefix(12).compactMap {
                $0.headers["Authorization"].flatMap { Int($0.drop { !$0.isNumber }) }
            }
            #expect(first.count == 12 && first.allSatisfy { $0 >= 24 }, "\(first)")
        }
    }

    @Test("`--rate` applies to a token, not a line; an account that would wait longer than `--wait` fails at once")
    func rate() async throws {
        let lines = (1...3).map {
            #"{"service":"exist","account":"n\#($0)","token":"\#(sandboxes.exist.token)"}"# + "\n"
        }
        try await export(
            [try accounts(lines.joined()), "--output", folder.path("r.jsonl"), "--rate", "3", "--wait", "5"], exits: 2)
        #expect(sandboxes.server.requests.count == 3)
        #expect(try results.map(\.errorKind) == Array(repeating: "rateLimited", count: 3))
        let error = try #require(try results.first?.json["error"] as? [String: Any])
        let message = try #require(error["message"] as? String)
        #expect(error["passing"] as? Bool == true)
        #expect(message.contains("Allow more with --wait"), "\(message)")
    }

    @Test("If a service stays down, the job stops with exit code 3 and no account fails; a later run exports all")
    func outage() async throws {
        let arguments = [try exist(1...600), "--resume"] + profiles
        // The record of the run contains the service's address, so the later run's server must have the same address.
        let port = sandboxes.server.baseURL.port ?? 0
        sandboxes.server.stop()
        // While the port is held, nothing listens there and no other process can take it.
        let held = try #require(HeldPort(UInt16(port)))
        let down = try await export(
            arguments + ["--outage-wait", "60", "--accept-errors"], exits: 3,
            saying: "Exist is down (127.0.0.1:\(port): no connection could be made", "stopped because Exist is down")
        #expect(folder.text("r.jsonl").isEmpty)
        #expect(down.errors.split(separator: "\n").count < 8 && !down.errors.contains("Checking"), "\(down.errors)")
        held.release()
        let again = LoopbackServer(routes: sandboxes.exist.routes, port: UInt16(port))
        try again.start()
        defer { again.stop() }
        try await export(arguments)
        #expect(try results.count == 600)
    }

    @Test("If a service comes back in time, the job continues and exports all accounts")
    func back() async throws {
        let run = try sandboxes.start {
            // This test needs a real clock. With a jumping clock, a job on a busy machine could give up on the service
            // before the outage event has been written.
            try start([try exist(1...40), "--log", "json", "--in-flight", "5"] + profiles, clock: .noon)
        } answering: { _, run in
            // The service is back as soon as the job has reported the outage.
            run.errors.contains(#""outage""#) ? nil : .empty(503)
        }
        let events = await run.end(0).errors.split(separator: "\n").compactMap { String($0).json["event"] as? String }
        #expect(try results.count == 40)
        #expect(events.contains("outage") && events.contains("outage-over") && events.last == "end", "\(events)")
    }

    @Test("`--resume` repeats temporary errors, `--retry` repeats others; accounts not in the input stay unchanged")
    func retry() async throws {
        let options = profiles + ["--resume"]
        let responses = ["1": 403, "3": 404, "5": 501, "7": 501]
        sandboxes.server.script.next(.max) { request in
            let token = request.headers["Authorization"]?.split(separator: "-").last.map(String.init)
            return token.flatMap { responses[$0] }.map { .empty($0) }
        }
        // The accounts are exported one at a time. Between two accounts that fail, another account succeeds, so the
        // service doesn't count as down.
        try await export(
            [try exist(1...12), "--in-flight", "1"] + options, exits: 2,
            saying: "2 serviceFault, 1 forbidden, 1 notFound", "--resume --retry forbidden,notFound,serviceFault")

        sandboxes.server.script.reset()
        sandboxes.server.resetRequests()
        try await export(
            [try exist(3...6), "--metrics", folder.path("m.prom")] + options, exits: 2,
            saying: "8 of them are not in the input, and stay unchanged.")
        #expect(folder.lines("m.prom").contains(#"pledge_accounts_left{command="export",shard="0/1"} 0"#))
        #expect(sandboxes.server.requests.count == 2, "those with 501, and no others")
        #expect(try results.count == 12)
        #expect(try Set(results.compactMap(\.errorKind)) == ["forbidden", "notFound"])

        sandboxes.server.resetRequests()
        let all = [try exist(1...12)] + options
        try await export(all, exits: 2, saying: "already has. 2 of them failed; --retry all repeats them.\n")
        #expect(sandboxes.server.requests.isEmpty)
        try await export(
            [try exist(2...12), "--retry", "forbidden,notFound"] + options, exits: 2,
            saying: "Repeating 1 account that failed. 1 of them failed; --retry all repeats them. 1 of them are not in")
        #expect(try results.count == 12 && results.compactMap(\.errorKind) == ["forbidden"], "a1 was not in the input")
        try await export([exist(1...12), "--retry", "all"] + options, saying: ". Repeating 1 account that failed.\n")
        #expect(try results.count == 12 && results.allSatisfy { $0.errorKind == nil })
        #expect(sandboxes.server.requests.count == 2)
    }

    @Test(
        "`--check` tries each token once, lists the accounts that would fail, and writes nothing",
        arguments: ["export", "sync"])
    func check(command: String) async throws {
        let words = command == "export" ? ["export"] : ["sync", "--database", folder.path("study.db")]
        func check(_ lines: String, exits code: Int32, saying said: String) async throws -> Tool.Outcome {
            let file = try accounts(lines)
            return try await Tool.run(words + [file, "--check"], sandboxes.environment, exits: code, saying: said)
        }
        let stranger = #"{"service":"exist","account":"stranger","token":"secret-unknown"}"# + "\n"
        let simple = #"{"service":"exist","account":"simple","kind":"simple","token":"secret-unknown"}"# + "\n"
        let unset = #"{"service":"mydatahelps","account":"unset","token":{"env":"NOT_SET"}}"# + "\n"
        let run = try await check(
            sandboxes.lines(1...6) + stranger + unset + simple, exits: 2, saying: "6 would work, 3 would fail.")
        #expect(sandboxes.server.requests.count == 8)
        let rows = run.output.split(separator: "\n")
        #expect(rows.count == 4 && rows[0].hasPrefix("ACCOUNT"), "\(run.output)")
        #expect(rows[1].contains("unset") && rows[1].contains("noToken"))
        #expect(
            rows[2].contains("simple  ")
                && rows[2].hasSuffix(#"only a token created with a password has "kind":"simple" beside it."#))
        #expect(rows[3].contains("stranger") && rows[3].contains("unauthorized"))
        #expect(rows[3].contains(#"needs "kind":"simple" beside it."#) && !run.output.contains("secret-"))
        let fine = try await check(sandboxes.lines(1...6), exits: 0, saying: "6 would work, 0 would fail.\n")
        #expect(fine.output.isEmpty)
        #expect(try folder.names == ["accounts.jsonl"])
    }
}
