import Foundation
import Pledge
import PledgeHTTP
import PledgeSandbox
import PledgeTestSupport
import Testing

@testable import PledgeCommand
@testable import PledgeServer

@Suite("Notices about long waits", .serialized)
final class WaitNoticeTests: ToolSuite {
    /// The arguments with which each command sends a request, or nil for a command that never waits for a service.
    private static let commands: [String: [String]?] = [
        "report": [], "attributes": [], "insights": [], "averages": [], "correlations": [], "profile": [],
        "surveys": [], "device-data": [], "notifications": [], "accounts": [], "set": ["mood=7"],
        "increment": ["water=1"], "create": ["Late dinner"], "release": ["mood"], "login": [], "status": [],
        "check": nil,
        "sync": ["@/a.db"], "export": ["@/accounts.jsonl"], "participants": ["--project", "#"],
        "logout": nil, "forget": nil, "backup": nil, "sandbox": nil, "completions": nil, "help": nil,
    ]

    init() throws { try super.init() }

    private func words(_ command: String, _ more: [String]) throws -> [String] {
        var words = [command] + more
        if command == "participants" {
            let openssl = try #require(TokenCommand(["openssl", "genpkey", "-algorithm", "RSA"], [:], seconds: 600))
            let key = try folder.file("key", holding: String(decoding: openssl.output(of: Data()), as: UTF8.self)).path
            words += ["--service-account", sandboxes.participants.serviceAccount, "--key", key]
        }
        return words.map {
            $0.replacingOccurrences(of: "@/", with: folder.url.path + "/")
                .replacingOccurrences(of: "#", with: sandboxes.participants.projectID)
        }
    }

    @Test("Every command announces a long wait once, with its length, its reason, and how to stop")
    func everyCommand() async throws {
        #expect(Set(Self.commands.keys) == Set(CommandTable.all.map(\.name)), "Add the command to the table.")
        for command in CommandTable.all.map(\.name) {
            guard let more = Self.commands[command] ?? nil else { continue }
            sandboxes.server.script.reset()
            sandboxes.server.script.next(respond: .empty(429, headers: ["Retry-After": "20"]))
            let isExport = command == "export"
            if isExport { _ = try accounts(1...1) }
            let environment =
                (isExport || command == "login" ? sandboxes.environment : sandboxes.ownEnvironment)
                .adding(["XDG_CONFIG_HOME": folder.path("config")])
            let run = try ToolRun(
                try words(command, more), environment, input: command == "login" ? sandboxes.exist.token : nil,
                clock: .jumping())
            let status = await run.end()
            let text = run.errors.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(text.ranges(of: "request limit is reached").count == 1, "\(command): \(text)")
            #expect(text.contains(" 20 s") && text.contains("Press Ctrl-C to stop."), "\(command): \(text)")
            #expect(status == 0, "\(command): \(text)")
        }
    }

    @Test("The notice about an overloaded service has the status code; a short wait is not announced")
    func overloaded() async throws {
        sandboxes.server.script.next(respond: .empty(503, headers: ["Retry-After": "25"]))
        try await run("attributes", clock: .jumping(), saying: "Exist answered 503: the next request is sent in 25 s.")
        sandboxes.server.script.next(respond: .empty(429, headers: ["Retry-After": "4"]))
        let short = try await run("attributes", clock: .jumping())
        #expect(short.errors.isEmpty, "\(short.errors)")
    }

    @Test("Requests that wait at the same time get one notice; a run with many accounts gets one notice in all")
    func together() {
        for (isOfMany, count) in [(false, 2), (true, 1)] {
            let (time, told) = (Locked(0.0), Locked<[String]>([]))
            let clock = Timekeeper(
                now: { TestClock.noon }, uptime: { time.withLock { $0 } }, schedule: Timekeeper.live.schedule)
            let notice = WaitNotice("Exist", clock, isOfMany: isOfMany) { words in told.withLock { $0.append(words) } }
            notice.announce(RequestWait(seconds: 5, reason: .limit))
            notice.announce(RequestWait(seconds: 900, reason: .limit))
            notice.announce(RequestWait(seconds: 903, reason: .status(503)))
            time.withLock { $0 = 600 }
            notice.announce(RequestWait(seconds: 300, reason: .noResponse))
            notice.announce(RequestWait(seconds: 3600, reason: .noResponse))
            #expect(told.withLock(\.count) == count, "\(told.withLock { $0 })")
            #expect(told.withLock { $0[0] }.hasPrefix("Exist's request limit is reached: "))
        }
    }

    @Test(
        "`set` and `increment` announce each wait, and fail if all waits together would exceed --wait",
        arguments: ["set", "increment"])
    func bounded(command: String) async throws {
        let counter = Counter()
        sandboxes.server.script.next(.max, matching: "POST") { _ in
            counter.next() <= 2 ? .empty(429, headers: ["Retry-After": "300"]) : nil
        }
        let words = [command, "water=1", "--on", "2026-01-01..2026-01-02", "--take-over"]
        let refused = try await run(words + ["--wait", "500"], clock: .jumping(), exits: 1, saying: "--wait")
        #expect(refused.errors.ranges(of: "request limit").count == 1, "\(refused.errors)")
        sandboxes.server.script.reset()
        let second = Counter()
        sandboxes.server.script.next(.max, matching: "POST") { _ in
            second.next() <= 2 ? .empty(429, headers: ["Retry-After": "300"]) : nil
        }
        let done = try await run(words + ["--wait", "700"], clock: .jumping())
        #expect(done.errors.ranges(of: "request limit").count == 2, "\(done.errors)")
    }
}
