import ExistKit
import Foundation
import Pledge
import PledgeFiles
import PledgeSandbox
import PledgeTestSupport
import Testing

@testable import PledgeCommand

@Suite("Runs of `pledge export`", .serialized)
final class ExportRunTests: ToolSuite {
    @Test("A run can be resumed only with the same options and a readable record; the error names what differs")
    func sameOptions() async throws {
        let arguments = [try accounts(1...4)] + output
        try await export(arguments + ["--days", "3"])
        let before = folder.text("r.jsonl")
        for (more, words) in [
            (["--days", "9"], "--days 3 then, 9 now"), ([], "--days 3 then, 7 now"),
            (["--days", "3", "--shard", "0/2"], "--shard not given then, 0/2 now"),
            (["--days", "3", "--through", "2026-01-01"], "--through not given then, 2026-01-01 now"),
            (["--from", "2026-01-01"], "--from not given then, 2026-01-01 now"),
        ] {
            try await export(arguments + ["--resume"] + more, exits: 64, saying: words)
        }
        #expect(folder.text("r.jsonl") == before)
        try await export(arguments + ["--resume", "--days", "3"])
        let options = folder.text("r.jsonl.run").json["options"] as? [String: String]
        #expect(options?["--sections"] == "profile,participant")
        for damaged in [nil, "{", #"{"\uDEB4": 1}"#] {
            try? folder.remove("r.jsonl.run")
            if let damaged { try folder.file("r.jsonl.run", holding: damaged) }
            try await export(
                arguments + ["--resume", "--days", "3"], exits: 64, saying: "r.jsonl.run", "choose another file")
        }
        #expect(folder.text("r.jsonl") == before)
    }

    @Test("Unreadable items are reported and counted, and lead to exit code 4, also when the run is resumed")
    func unreadable() async throws {
        let broken = ServerResponse.json(["count": 2, "next": .null, "results": [[:], [:]]])
        sandboxes.server.script.next(.max, matching: "GET /api/2/averages/", respond: broken)
        let arguments = [
            try accounts(1...3), "--output", folder.path("r.jsonl"), "--sections", "averages,participant", "--resume",
            "--quiet", "--metrics", folder.path("m.prom"),
        ]
        try await export(arguments, exits: 4, saying: "4 items could not be read, and are missing: 4 averages.")
        let series = #"pledge_items_unreadable_total{command="export",shard="0/1",service="exist",list="averages"} 4"#
        #expect(folder.lines("m.prom").contains(series))
        // The resumed run has nothing left to do, but the results still lack the unreadable items.
        try await export(
            arguments, exits: 4, saying: "4 items could not be read, and are missing: 4 of an earlier run.")
        try await export(arguments + ["--accept-unreadable"], saying: "4 of an earlier run")
    }

    @Test("If a service sends a day with a time, the run ignores the time and reports that only once")
    func times() async throws {
        let values = #"{"date":"2026-11-24T00:00:00+00:00","value":7},{"date":"2026-11-23T00:00:00+00:00","value":6}"#
        // The last value is from before the requested days.
        let body = #"""
            {"count":1,"next":null,"results":[{"name":"steps","label":"Steps","priority":1,"value_type":0,
            "group":{"name":"a","label":"A","priority":1},"values":[\#(values),{"date":"2026-11-17","value":5}]}]}
            """#
        sandboxes.server.script.next(.max, matching: "GET /api/2/attributes/with-values/", respond: .text(body))
        let run = try await export(
            ["--sections", "attributes", "--through", "2026-11-24", "--quiet"],
            input: sandboxes.lines(1...1) + sandboxes.lines(3...3))
        #expect(
            try run.results.map { $0.list("values").map { $0["day"] as? String } } == [
                ["2026-11-24", "2026-11-23"], ["2026-11-24", "2026-11-23"],
            ])
        let told = run.errors.split(separator: "\n").filter { $0.contains("a day was sent with a time") }
        #expect(
            told == [
                "Exist sends something it doesn't document: a day was sent with a time of day, which was ignored."
            ],
            "\(run.errors)")
    }

    @Test("The days of an Exist account are in the user's time zone, even if the profile isn't exported")
    func zones() async throws {
        // The user's day is always at least one day before the tool's, because their clocks are 25 hours apart.
        let (zone, own) = try (
            #require(TimeZone(identifier: "Pacific/Pago_Pago")), #require(TimeZone(identifier: "Pacific/Kiritimati"))
        )
        let both = try BothSandboxes(isEmpty: true, zone: zone)
        for sections in ["profile,attributes", "attributes"] {
            both.server.resetRequests()
            _ = try await ToolRun(
                ["export", "--sections", sections], both.environment, input: both.line(1), zone: own
            ).end(0)
            let asked = both.server.requests.compactMap { $0.queryValue("date_max") }
            #expect(asked == ["\(ExistDay(TestClock.noon, in: zone))"], "\(sections)")
        }
    }

    @Test("A run that is resumed on a later day requests the same days as on the day it began")
    func midnight() async throws {
        let arguments = [
            try accounts(1...2), "--output", folder.path("r.jsonl"), "--sections", "profile,attributes,devicedata",
            "--resume",
        ]
        let clock = Timekeeper.jumping(days: -2)
        let long = clock.now()
        try await export(arguments, clock: clock)
        // Removes the result of the Exist account, as if the first run had not reached that account.
        let kept = folder.lines("r.jsonl").filter { $0.contains("mydatahelps") }
        try folder.file("r.jsonl", holding: kept[0] + "\n")
        sandboxes.server.resetRequests()
        try await export(arguments)
        let asked = sandboxes.server.requests.compactMap { $0.queryValue("date_max") }
        let profile = try ResultLine(try #require(folder.lines("r.jsonl").last)).json["profile"] as? [String: Any]
        let zone = try #require(TimeZone(identifier: profile?["timezone"] as? String ?? ""))
        #expect(asked == [ExistDay(long, in: zone).description])
        #expect(folder.text("r.jsonl").hasPrefix(kept[0] + "\n") && folder.lines("r.jsonl").count == 2)
    }

    @Test(
        "If the results file is deleted or renamed during a run, the run fails and says what happened to the file",
        arguments: [true, false])
    func vanished(isRenamed: Bool) async throws {
        let (from, to) = (folder.path("r.jsonl"), folder.path("elsewhere.jsonl"))
        let arguments = [try accounts(1...20), "--in-flight", "1", "--metrics", folder.path("m.prom")] + output
        // Request 20 is the last one. After it, the run writes only one more line, and must still notice the change.
        for number in [5, 20] {
            let run = try sandboxes.start(
                stopping: { (_: ToolRun) in if isRenamed { rename(from, to) } else { unlink(from) } }, atRequest: number
            ) { try start(arguments) }
            let words = isRenamed ? "elsewhere.jsonl. Move it back, and continue with --resume" : "deleted while it was"
            let errors = await run.end(1, saying: words).errors
            #expect(!errors.contains("accounts done"))
            #expect(folder.lines("m.prom").contains(#"pledge_run_exit_code{command="export",shard="0/1"} 1"#))
            for name in ["elsewhere.jsonl", "r.jsonl.run"] { try? folder.remove(name) }
        }
    }

    @Test(
        "The metric pledge_accounts_left is exact despite duplicates, invalid lines, finished accounts, and shards"
    )
    func left() async throws {
        let text = ([1, 2, 1, 3, 2] + Array(4...40)).map { sandboxes.line($0) + "\n" }.joined() + "{}\n\n"
        let (accounts, others) = (try accounts(text), try folder.file("others", holding: sandboxes.lines(41...60)).path)
        for part in ["0/3", "1/3", "2/3"] {
            let name = "r\(part.prefix(1)).jsonl"
            let all = try (1...40).count {
                let line = try AccountLine(Array(sandboxes.line($0).utf8), environment: [:])
                return try #require(Shard(part)).contains(line.id)
            }
            let arguments = [
                "--shard", part, "--sections", "profile,participant", "--output", folder.path(name),
                "--resume", "--in-flight", "1", "--metrics", folder.path("m.prom"),
            ]
            try await export([others] + arguments)
            let unknown = folder.lines(name).count
            for number in [1, 99] {
                let run = try sandboxes.start(stopping: { $0.interrupt() }, atRequest: number) {
                    try start([accounts] + arguments)
                }
                // A run that reads the whole input has exit code 2, because of the invalid line.
                await run.end(number == 1 ? 130 : 2)
                let left = all + unknown - folder.lines(name).count
                let line = #"pledge_accounts_left{command="export",shard="\#(part)"} \#(left)"#
                #expect(folder.lines("m.prom").contains(line), "\(part): \(left) of \(all)")
            }
        }
    }

    @Test("The `--metrics` file has the numbers of the run, and each result line has the numbers of its account")
    func figures() async throws {
        sandboxes.server.script.next(1, matching: "GET /api/2", respond: .empty(503))
        sandboxes.server.script.next(1, matching: "GET /api/v1", respond: .empty(403))
        try await export([try accounts(1...10), "--metrics", folder.path("m.prom")] + output, exits: 2)
        let metrics = folder.text("m.prom")
        for line in [
            #"pledge_accounts_done_total{command="export",shard="0/1",service="exist"} 5"#,
            #"pledge_accounts_done_total{command="export",shard="0/1",service="mydatahelps"} 4"#,
            #"pledge_accounts_failed_total{command="export",shard="0/1",service="mydatahelps",kind="forbidden"} 1"#,
            #"pledge_requests_total{command="export",shard="0/1",service="exist"} 5"#,
            #"pledge_retries_total{command="export",shard="0/1",service="exist"} 1"#,
            #"pledge_request_seconds_count{command="export",shard="0/1",service="exist"} 6"#,
            #"pledge_run_exit_code{command="export",shard="0/1"} 2"#, "# TYPE pledge_request_seconds summary",
        ] { #expect(metrics.split(separator: "\n").contains { $0 == line }, "\(line)") }
        for line in metrics.split(separator: "\n") where !line.hasPrefix("#") {
            #expect(line.wholeMatch(of: /[a-z_]+{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*} [0-9.e+-]+/) != nil, "\(line)")
        }
        #expect(folder.mode("m.prom") == 0o644, "a collector reads it")
        let attempts = try results.compactMap { $0.run?["attempts"] }
        #expect(attempts.sorted() == [1, 1, 1, 1, 1, 1, 1, 1, 1, 2])
    }

    @Test("If a run ends with an error, its metrics have the exit code")
    func metricsOfErrors() async throws {
        let metrics = ["--metrics", folder.path("m.prom")]
        let file = try accounts(1...4)
        let missing = try BatchOptions(Arguments([folder.path("missing")], of: ExportCommand.command))
        #expect(throws: FileError.self) { try BatchInput(missing) }
        for (arguments, code) in [
            ([folder.path("missing.jsonl")], 1), ([file, "--output", folder.path("none/r.jsonl")], 1),
            ([try folder.file("diary", holding: String(repeating: "words\n", count: 200)).path], 64),
            ([file] + output + ["--resume"], 0), ([file] + output + ["--resume", "--days", "9"], 64),
        ] as [([String], Int32)] {
            try await export(arguments + metrics, exits: code)
            #expect(folder.lines("m.prom").contains(#"pledge_run_exit_code{command="export",shard="0/1"} \#(code)"#))
        }
    }

    @Test(
        "Input without accounts is an error and nothing is written, unless --accept-empty is given",
        arguments: ["", "\n \n", "{}\n"])
    func empty(text: String) async throws {
        let (file, times) = (try accounts(text), text == "{}\n" ? 1 : 0)
        for command in [
            ["export"], ["export", "--check"], ["export", "--output", folder.path("r.jsonl")],
            ["sync", "--database", folder.path("a.db")], ["export", "--shard", "1/2"], ["export", "--accept-empty"],
            ["sync", "--database", folder.path("a.db"), "--accept-empty"],
        ] {
            let isAccepted = command.contains("--accept-empty")
            for input in [file, "-"] {
                let code = !isAccepted ? 64 : times > 0 ? 2 : 0
                let words = command + [input, "--quiet"]
                let run = try await Tool.run(words, sandboxes.environment, input: text, exits: Int32(code))
                #expect(
                    run.errors.contains("has no accounts. Check the program that writes it") == !isAccepted,
                    "\(run.errors)")
                #expect(run.errors.components(separatedBy: "Line 1 was skipped").count == 1 + times, "\(run.errors)")
                #expect(try isAccepted || folder.names == ["accounts.jsonl"])
            }
        }
    }

    @Test("If the first 16 MiB from a pipe have no valid line, the tool reports that there are no accounts")
    func endless() async throws {
        let other = String(repeating: "x", count: 1 << 20) + "\n"
        let text = String(repeating: other, count: 16) + sandboxes.lines(1...1)
        try await Tool.run(["export", "-"], sandboxes.environment, input: text, exits: 64, saying: "has no accounts")
    }

    @Test("A shard without accounts is not an error, and an invalid first line is reported only once")
    func emptyShard() async throws {
        let text = "\n{}\n" + sandboxes.line(1) + "\n" + sandboxes.line(1) + "\n"
        let file = try accounts(text)
        var lines: [Int] = []
        for (input, part) in [(file, "0/2"), (file, "1/2"), ("-", "0/2"), ("-", "1/2")] {
            let run = try await export(
                [input, "--shard", part, "--sections", "profile,participant"], input: text, exits: 2)
            #expect(run.errors.components(separatedBy: "1 line could not be read").count == 2, "\(run.errors)")
            #expect(run.errors.contains(" 1 duplicate was skipped.") == !run.output.isEmpty, "\(run.errors)")
            lines.append(run.output.split(separator: "\n").count)
        }
        #expect(lines.sorted() == [0, 0, 1, 1] && lines[0] == lines[2])
    }

    @Test("An interrupt ends an export that still waits for its first account")
    func interruptedBeforeFirstLine() async throws {
        let pipe = Pipe()
        var unread = pollfd(fd: dup(pipe.fileHandleForReading.fileDescriptor), events: Int16(POLLIN), revents: 0)
        defer { close(unread.fd) }
        pipe.fileHandleForWriting.write(Data("{}\n".utf8))
        let run = try ToolProcess(
            ["export", "--metrics", folder.path("m.prom")], sandboxes.environment, from: pipe.fileHandleForReading)
        // The tool is ready for a signal when it has read the invalid line.
        while poll(&unread, 1, 1) != 0 { await Task.yield() }
        run.send(SIGTERM)
        await run.end(130)
        #expect(folder.lines("m.prom").contains(#"pledge_run_exit_code{command="export",shard="0/1"} 130"#))
        try pipe.fileHandleForWriting.close()
    }

    @Test("If accounts come from standard input, a resumed run doesn't repeat temporary errors, and says so")
    func piped() async throws {
        let file = try accounts(1...2)
        sandboxes.server.script.next(2, matching: "GET /api/2", respond: .text("<html>", status: 200))
        try await export([file] + output, exits: 2)
        let (resume, lines) = (output + ["--resume"], sandboxes.lines(1...2))
        let metrics = folder.path("m.prom")
        try await export(resume + ["--metrics", metrics], input: lines, exits: 2, saying: "would be repeated now")
        // The metrics count the failures in all results, not only those of this run.
        let failed = folder.lines("m.prom").filter { $0.hasPrefix("pledge_accounts_failed_total{") }
        #expect(failed.count == 1 && failed[0].hasSuffix(" 1"), "\(failed)")
        #expect(folder.lines("m.prom").contains { $0.hasPrefix("pledge_last_complete") && $0.hasSuffix("} 0") })
        try await export(
            resume + ["--retry", "all"], input: lines, exits: 64, saying: "requires the accounts in a file")
        #expect(try results.count == 2)
    }
}
