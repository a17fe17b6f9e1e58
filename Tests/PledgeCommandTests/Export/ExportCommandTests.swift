import ExistKit
import Foundation
import PledgeSandbox
import PledgeTestSupport
import Testing

@testable import PledgeCommand

@Suite("`pledge export`", .serialized)
final class ExportCommandTests: ToolSuite {
    @Test("Each of 100 accounts gets its own data although 32 run at once; requests have the tool's user agent")
    func nobodyElses() async throws {
        let run = try await export("--sections profile,participant --in-flight 32", input: sandboxes.lines(1...100))
        let results = try run.results
        #expect(Set(results.map(\.account)) == Set((1...100).map { "a\($0)" }) && results.count == 100)
        let tokens = sandboxes.server.requests.map { $0.headers["Authorization"] ?? "" }
        #expect(Set(tokens).count == 100 && tokens.count == 100)
        for result in results where result.service == "exist" {
            #expect((result.json["profile"] as? [String: Any])?["username"] as? String == "user of \(result.account)")
        }
        #expect(Set(sandboxes.server.requests.map { $0.headers["User-Agent"] }) == ["pledge/1.0.0"])
    }

    @Test("An export fetches values month by month, and has each requested day once and no other day")
    func days() async throws {
        let sandboxes = try BothSandboxes { Date(timeIntervalSince1970: 1_780_000_000) }
        let run = try await Tool.run(
            "export --from 2026-01-07 --through 2026-04-10 --sections attributes",
            sandboxes.environment, input: sandboxes.line(1))
        let values = try #require(try run.results.first).list("values")
        let steps = values.filter { $0["attribute"] as? String == "steps" }.compactMap { $0["day"] as? String }
        #expect(steps.min() == "2026-01-07" && steps.max() == "2026-04-10")
        #expect(steps.count > 80 && Set(steps).count == steps.count)
        let windows = sandboxes.server.requests.filter { $0.path == "/api/2/attributes/with-values/" }
        let ends = windows.compactMap { $0.queryValue("date_max") }
        #expect(ends == ["2026-04-10", "2026-03-10", "2026-02-07", "2026-01-07"])
    }

    @Test("Measurements and answers from exactly midnight belong to the day that begins at midnight")
    func midnight() async throws {
        let (line, day) = (sandboxes.line(2), try #require(ExistDay("2026-03-02")))
        let start = day.date(in: try #require(TimeZone(identifier: "Europe/Stockholm")))
        for (number, seconds) in [-1, 0, 86_399, 86_400].enumerated() {
            let date = start.addingTimeInterval(Double(seconds))
            sandboxes.participants.putPoint(
                9000 + number, namespace: "AppleHealth", type: "Midnight", value: "\(seconds)", observed: date,
                modified: date)
            sandboxes.participants.putAnswer(9000 + number, result: 9000, ["at \(seconds)"], inserted: date)
        }
        let run = try await export(["--from", "\(day)", "--through", "\(day)"], input: line)
        let result = try #require(try run.results.first)
        let values = result.list("values").filter { $0["type"] as? String == "Midnight" }
        #expect(Set(values.compactMap { $0["value"] as? String }) == ["0", "86399"])
        #expect(Set(values.compactMap { $0["day"] as? String }) == ["2026-03-02"])
        let answers = result.list("answers").flatMap { $0["answers"] as? [String] ?? [] }
        #expect(Set(answers).intersection(["at -1", "at 0", "at 86399", "at 86400"]) == ["at 0", "at 86399"])
    }

    @Test("If --in-flight needs more open files than the process may have, the export is refused")
    func openFiles() async throws {
        let command = ["export", try accounts(1...2), "--in-flight", "60"]
        try await ToolProcess(command, sandboxes.environment, after: "ulimit -n 91")
            .end(64, saying: "need 92 open files, but this process may have only 91: raise “ulimit -n”")
        // The tool raises the soft limit itself.
        try await ToolProcess(command, sandboxes.environment, after: "ulimit -Hn 92; ulimit -Sn 80").end(0)
    }

    @Test("An invalid line or a repeated account is skipped, and reported with its line number but not its content")
    func badLines() async throws {
        let longest = sandboxes.line(5).padding(toLength: 1 << 20, withPad: " ", startingAt: 0)
        let run = try await export(
            "--sections profile",
            input: """
                \(sandboxes.line(1))
                {"service":"exist","account":"b","token":"hidden-1"
                {"service":"fitbit","account":"c","token":"hidden-2"}

                {"service":"exist","token":"hidden-3"}
                {"service":"exist","account":"d","token":["hidden-4"]}
                \(longest)
                \(sandboxes.line(3))
                \(sandboxes.line(1))
                \(sandboxes.line(3))
                \(longest)
                """, exits: 2, saying: "5 lines could not be read", "2 duplicates were skipped.",
            "Line 7 was skipped: it is longer than 1048576 bytes.")
        // The last line has the same text as line 7. Only line 7 is too long, because its line feed counts and the last
        // line has no line feed.
        #expect(try run.results.map(\.account).sorted() == ["a1", "a3", "a5"])
        for number in [2, 3, 5, 6, 7, 9, 10] { #expect(run.errors.contains("Line \(number) was skipped"), "\(number)") }
        #expect(!(run.errors + run.output).contains("hidden"))
    }

    @Test(
        "Input whose first hundred lines are all invalid is rejected; one valid line among them is enough"
    )
    func noInput() async throws {
        let bad = String(repeating: "a,b,c\n", count: 100)
        for input in [try accounts(bad), "-"] {
            try await export([input], input: bad, exits: 64, saying: "None of the first 100 lines")
        }
        let nearly = String(repeating: "a,b,c\n", count: 99)
        try await export(
            "--sections profile", input: nearly + sandboxes.line(1), exits: 2, saying: "99 lines could not be read")
        // Empty lines don't count as invalid.
        try await export("--sections profile", input: String(repeating: "\n", count: 150) + sandboxes.line(1))
        for (other, words) in [
            ("[\n\(sandboxes.line(1))\n]", "a JSON array"), ("service,account,token\nexist,a1,t", "a table"),
            ("\u{FEFF}{\0\"\0", "UTF-16"),
        ] {
            let run = try await export("-", input: other, exits: 64, saying: "The input is ", words)
            #expect(run.errors.split(separator: "\n").count == 1)
        }
        try await export(
            "--sections profile", input: sandboxes.line(1) + "\n" + bad, exits: 2,
            saying: "100 lines could not be read")
        let database = try folder.file("a.db", holding: "SQLite format 3\0\u{10}").path
        for command in [["export"], ["sync", "--database", folder.path("b.db")]] {
            try await Tool.run(
                command + [database], exits: 64, saying: "a.db is a SQLite database, not a file of accounts")
        }
        #expect(!folder.has("b.db"))
    }

    @Test("In a terminal, an export says that it waits for input, and the summary replaces the progress")
    func terminal() async throws {
        let run = try await ToolTerminal.run(
            "export --sections profile", sandboxes.environment, typed: sandboxes.line(1) + "\n\u{04}",
            after: "Ctrl-D")
        let last = run.screen.components(separatedBy: "\r\u{1B}[K").dropFirst().last
        #expect(last?.hasPrefix("1 account done and 0 failed") == true, "\(run.screen)")
    }

    @Test("A refused account's line has a specific error, and the exit code is 2; an account with a simple token works")
    func failures() async throws {
        sandboxes.server.script.next(matching: "GET /api/2/averages/", respond: .empty(403))
        let input = """
            {"service":"exist","account":"stranger","token":"secret-unknown-token"}
            {"service":"mydatahelps","account":"guest","token":"secret-unknown-token"}
            \(sandboxes.line(1))
            \(sandboxes.line(2))
            {"service":"exist","account":"simple","kind":"simple","token":"\(sandboxes.exist.simpleToken)"}
            """
        let run = try await export("--in-flight 1", input: input, exits: 2, saying: "2 accounts done and 3 failed")

        let results = try run.results
        #expect(results.map(\.account) == ["stranger", "guest", "a1", "a2", "simple"])
        #expect(results.map(\.errorKind) == ["unauthorized", "unauthorized", "forbidden", nil, nil])
        for refused in results.prefix(2) { #expect(refused.run?["requests"] == 1 && refused.run?["attempts"] == 1) }
        let forbidden = results[2].json["error"] as? [String: Any]
        #expect(forbidden?["status"] as? Int == 403 && forbidden?["section"] as? String == "averages")
        #expect((forbidden?["message"] as? String)?.contains("/api/2/averages/ failed") == true)
    }

    @Test("If a failed response repeats the token, even JSON-escaped or percent-encoded, no output contains the token")
    func secrets() async throws {
        for (dash, status) in [("-", 403), ("%2D", 404), (#"\u002d"#, 400)] {
            sandboxes.server.script.next { request in
                let sent = request.headers["Authorization"] ?? ""
                return .text("No, \(sent.replacingOccurrences(of: "-", with: dash))!", status: status)
            }
        }
        let run = try await export(["--output", folder.path("r.jsonl")], input: sandboxes.lines(1...6), exits: 2)
        #expect(folder.lines("r.jsonl").count == 6)
        for text in [run.output, run.errors, folder.text("r.jsonl")] { #expect(!text.contains("secret")) }
    }
}
