import ExistKit
import Foundation
import Pledge
import PledgeCoding
import PledgeSandbox
import PledgeTestSupport
import Testing

@testable import PledgeCommand

/// A run and what it leaves behind, with the sandbox.
@Suite("Runs of `pledge export`", .serialized)
struct ExportRunTests {
    let sandboxes: BothSandboxes
    let folder: TemporaryFolder

    init() throws {
        sandboxes = try BothSandboxes()
        folder = try TemporaryFolder()
    }

    private func start(_ arguments: [String], input: String? = nil) throws -> ToolRun {
        try ToolRun(["export"] + arguments, sandboxes.environment, input: input, clock: .jumping())
    }

    private func accounts(_ numbers: ClosedRange<Int>) throws -> String {
        try folder.file("accounts.jsonl", holding: sandboxes.lines(numbers)).path
    }

    private var output: [String] { ["--output", folder.path("r.jsonl"), "--sections", "profile,participant"] }

    private func json(_ name: String) throws -> [String: Any] {
        try JSONSerialization.jsonObject(with: Data(folder.text(name).utf8)) as? [String: Any] ?? [:]
    }

    @Test("A run is resumed only with the same options, and the error names what differs")
    func sameOptions() async throws {
        let accounts = try accounts(1...4)
        let arguments = [accounts, "--output", folder.path("r.jsonl"), "--sections", "profile,participant"]
        #expect(await (try start(arguments + ["--days", "3"])).end() == 0)
        let before = folder.text("r.jsonl")

        for (more, words) in [
            (["--days", "9"], "--days 3 then, 9 now"), ([], "--days 3 then, 7 now"),
            (["--days", "3", "--shard", "0/2"], "--shard not given then, 0/2 now"),
            (["--days", "3", "--correlations", "strong"], "--correlations all then, strong now"),
            (["--from", "2026-01-01"], "--from not given then, 2026-01-01 now"),
        ] {
            let run = try start(arguments + ["--resume"] + more)
            #expect(await run.end() == 64)
            #expect(run.errors.contains(words), "\(run.errors)")
        }
        #expect(folder.text("r.jsonl") == before)
        let same = try start(arguments + ["--resume", "--days", "3"])
        #expect(await same.end() == 0, "\(same.errors)")
        #expect(try json("r.jsonl.run")["sections"] as? [String] == ["profile", "participant"])
    }

    @Test("A run that is resumed after midnight requests the same days")
    func midnight() async throws {
        let arguments = [
            try accounts(1...2), "--output", folder.path("r.jsonl"), "--sections", "profile,attributes,devicedata",
            "--resume",
        ]
        #expect(await (try start(arguments)).end() == 0)
        // As if the run had begun two days ago and had not reached the second account.
        let long = Date().addingTimeInterval(-2 * 86_400)
        let run = folder.text("r.jsonl.run")
        let began = try #require(try json("r.jsonl.run")["began"] as? String)
        try folder.file("r.jsonl.run", holding: run.replacingOccurrences(of: began, with: Timestamp.text(long)))
        let kept = folder.lines("r.jsonl").filter { $0.contains("mydatahelps") }
        try folder.file("r.jsonl", holding: kept[0] + "\n")

        sandboxes.server.resetRequests()
        let resumed = try start(arguments)
        #expect(await resumed.end() == 0, "\(resumed.errors)")
        let asked = sandboxes.server.requests.compactMap { $0.queryValue("date_max") }
        let profile = try ResultLine(try #require(folder.lines("r.jsonl").last)).json["profile"] as? [String: Any]
        let zone = try #require(TimeZone(identifier: profile?["timezone"] as? String ?? ""))
        #expect(asked == [ExistDay(long, in: zone).description])
    }

    @Test("Results without a record of their run are resumed only with `--adopt`")
    func adopt() async throws {
        let arguments = [try accounts(1...4)] + output + ["--resume"]
        #expect(await (try start(arguments)).end() == 0)
        for damage in [
            { try FileManager.default.removeItem(atPath: folder.path("r.jsonl.run")) },
            { _ = try folder.file("r.jsonl.run", holding: "{") },
            { _ = try folder.file("r.jsonl.run", holding: #"{"\uDEB4": 1}"#) },
        ] {
            try damage()
            let refused = try start(arguments)
            #expect(await refused.end() == 64)
            #expect(refused.errors.contains("--adopt"), "\(refused.errors)")
            let adopted = try start(arguments + ["--adopt"])
            #expect(await adopted.end() == 0, "\(adopted.errors)")
            #expect(await (try start(arguments)).end() == 0)
        }
        #expect(folder.lines("r.jsonl").count == 4)
    }

    @Test(
        "Results that are deleted or renamed during the run are detected before success is reported",
        arguments: [true, false])
    func vanished(isRenamed: Bool) async throws {
        let (from, to) = (folder.path("r.jsonl"), folder.path("elsewhere.jsonl"))
        // At the last request, too: only its own line is written after that.
        for number in [5, 20] {
            sandboxes.server.script.reset()
            sandboxes.at(request: number) { if isRenamed { rename(from, to) } else { unlink(from) } }
            let run = try start([try accounts(1...20)] + output + ["--in-flight", "1"])
            #expect(await run.end() == 1)
            #expect(
                run.errors.contains(
                    isRenamed
                        ? "elsewhere.jsonl. Move it back, and continue with --resume" : "deleted while it was written"),
                "\(run.errors)")
            #expect(!run.errors.contains("accounts done"))
            for name in ["elsewhere.jsonl", "r.jsonl.run"] {
                try? FileManager.default.removeItem(atPath: folder.path(name))
            }
        }
    }

    @Test("A line that occurs twice is an error, and lines of accounts that are not in the input are reported")
    func doubled() async throws {
        let arguments = [try accounts(1...4)] + output + ["--resume"]
        #expect(await (try start(arguments)).end() == 0)
        let whole = folder.text("r.jsonl")
        try folder.file("accounts.jsonl", holding: sandboxes.lines(3...6))
        let strangers = try start(arguments + ["--metrics", folder.path("m.prom")])
        #expect(await strangers.end() == 0)
        #expect(
            strangers.errors.contains("2 of them are not in the input, and stay unchanged."), "\(strangers.errors)")
        #expect(folder.lines("r.jsonl").count == 6)
        #expect(folder.text("m.prom").contains(#"pledge_accounts_left{command="export",shard="0/1"} 0\#n"#))

        let first = try #require(folder.lines("r.jsonl").first)
        let id = try #require(first.firstMatch(of: /"account":"([^"]*)"/)?.1)
        try folder.file("r.jsonl", holding: whole + first + "\n")
        let doubled = try start(arguments)
        #expect(await doubled.end() == 64)
        #expect(doubled.errors.contains("line 5 is a second line for "), "\(doubled.errors)")
        #expect(doubled.errors.contains(" account “\(id)”"), "\(doubled.errors)")
        #expect(folder.text("r.jsonl") == whole + first + "\n")
    }

    @Test("The number of accounts left is exact despite duplicates, invalid lines, finished accounts, and shards")
    func left() async throws {
        let text = ([1, 2, 1, 3, 2] + Array(4...40)).map { sandboxes.line($0) + "\n" }.joined() + "{}\n\n"
        let accounts = try folder.file("accounts.jsonl", holding: text).path
        for part in ["0/3", "1/3", "2/3"] {
            let file = folder.path("r\(part.prefix(1)).jsonl")
            let arguments = [
                accounts, "--shard", part, "--sections", "profile,participant", "--output", file, "--resume",
            ]
            for number in [1, 99] {
                let run = try sandboxes.start(stopping: { $0.interrupt() }, atRequest: number) {
                    try start(arguments + ["--in-flight", "1", "--metrics", folder.path("m.prom")])
                }
                #expect(await run.end() == (number == 1 ? 130 : 2), "an invalid line is reported each time")
                let lines = folder.lines("r\(part.prefix(1)).jsonl").count
                let left = folder.lines("m.prom").first { $0.hasPrefix("pledge_accounts_left{") }
                let all = try (1...40).count {
                    try Shard(part)?.contains(
                        AccountLine(
                            Array(sandboxes.line($0).utf8), number: 1, environment: [:]
                        ).id) == true
                }
                #expect(
                    left == #"pledge_accounts_left{command="export",shard="\#(part)"} \#(all - lines)"#,
                    "\(part): \(lines) of \(all)")
            }
        }
    }

    @Test("A hangup stops a run as an interrupt does, but not a run that `nohup` started")
    func hangup() async throws {
        for isDeaf in [false, true] {
            let process = Locked<pid_t>(0)
            let isThere = DispatchSemaphore(value: 0)
            sandboxes.at(request: 5) {
                isThere.wait()
                kill(process.withLock { $0 }, SIGHUP)
            }
            Tool.countStart()
            let shell = Process()
            shell.executableURL = URL(fileURLWithPath: "/bin/sh")
            shell.arguments =
                [
                    "-c", isDeaf ? "trap '' HUP; exec \"$0\" \"$@\"" : "exec \"$0\" \"$@\"", Tool.executable.path,
                    "export",
                ]
                + [try accounts(1...200), "--sections", "profile,participant", "--in-flight", "1", "--quiet"]
            shell.environment = Tool.environment(sandboxes.environment)
            shell.standardOutput = FileHandle.nullDevice
            let ended = DispatchGroup()
            ended.enter()
            shell.terminationHandler = { _ in ended.leave() }
            try shell.run()
            process.withLock { $0 = shell.processIdentifier }
            isThere.signal()
            await withCheckedContinuation { continuation in
                ended.notify(queue: .global()) { continuation.resume() }
            }
            #expect(shell.terminationReason == .exit && shell.terminationStatus == (isDeaf ? 0 : 130))
        }
    }

    @Test("`--summary` and `--metrics` report on the run, and each line on its account")
    func figures() async throws {
        sandboxes.server.script.next(1, matching: "GET /api/2", respond: .empty(503))
        sandboxes.server.script.next(1, matching: "GET /api/v1", respond: .empty(403))
        let run = try start(
            [try accounts(1...10)] + output
                + ["--summary", folder.path("s.json"), "--metrics", folder.path("m.prom")])
        #expect(await run.end() == 2, "\(run.errors)")

        let summary = try json("s.json")
        #expect(summary["state"] as? String == "ended" && summary["command"] as? String == "export")
        #expect(summary["exit"] as? Int == 2 && summary["done"] as? Int == 9 && summary["failed"] as? Int == 1)
        #expect(summary["errors"] as? [String: Int] == ["forbidden": 1])
        #expect(summary["requests"] as? Int == 10 && summary["retries"] as? Int == 1)
        #expect((summary["bytes"] as? Int ?? 0) > 500)
        let latency = try #require(summary["latency"] as? [String: Double])
        #expect(latency["p50"] ?? 0 > 0 && latency["p50"] ?? 1 <= latency["p99"] ?? 0)

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
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("m.prom"))
        #expect(attributes[.posixPermissions] as? Int == 0o644, "a collector reads it")

        let attempts = try folder.lines("r.jsonl").compactMap { try ResultLine($0).run?["attempts"] }
        #expect(attempts.sorted() == [1, 1, 1, 1, 1, 1, 1, 1, 1, 2])
    }

    @Test(
        "Killed at any moment, a run leaves its record, its metrics, and its results intact",
        .timeLimit(.minutes(60)))
    func kills() async throws {
        let arguments =
            [try accounts(1...300)] + output
            + ["--resume", "--in-flight", "8", "--metrics", folder.path("m.prom"), "--summary", folder.path("s.json")]
        var dice = SeededGenerator(seed: 4)
        for round in 0..<Rounds.count(usual: 6) {
            let moment = round < 2 ? 1 : Int.random(in: 1...25, using: &dice)
            let run = try sandboxes.start(stopping: { $0.send(SIGKILL) }, atRequest: moment) {
                try ToolProcess(["export"] + arguments, sandboxes.environment)
            }
            #expect(await run.end() == -SIGKILL)
            #expect(try json("r.jsonl.run")["version"] as? Int == 1)
            let end = #"pledge_run_end_timestamp_seconds{command="export",shard="0/1"} 0"#
            #expect(folder.lines("m.prom").contains(end))
            #expect(try json("s.json")["state"] as? String == "running")
        }
        sandboxes.server.script.reset()
        let last = try start(arguments)
        #expect(await last.end() == 0, "\(last.errors)")
        let results = try folder.lines("r.jsonl").map { try ResultLine($0) }
        #expect(results.map(\.account).sorted() == (1...300).map { "a\($0)" }.sorted())
        #expect(results.allSatisfy { $0.errorKind == nil })
        #expect(try json("s.json")["state"] as? String == "ended" && json("s.json")["exit"] as? Int == 0)
    }

    @Test("A run that ends with an error says so in its summary, whatever the error and the moment")
    func summaryOfErrors() async throws {
        let summary = ["--summary", folder.path("s.json"), "--metrics", folder.path("m.prom")]
        let file = try accounts(1...4)
        for (arguments, code) in [
            ([folder.path("missing.jsonl")], 1), ([file, "--output", folder.path("none/r.jsonl")], 1),
            ([try folder.file("diary", holding: String(repeating: "words\n", count: 200)).path], 64),
            ([file] + output + ["--resume"], 0), ([file] + output + ["--resume", "--days", "9"], 64),
        ] as [([String], Int32)] {
            let run = try start(arguments + summary)
            #expect(await run.end() == code, "\(run.errors)")
            #expect(try json("s.json")["state"] as? String == "ended" && json("s.json")["exit"] as? Int == Int(code))
            if code != 0 { #expect(try run.errors.contains(json("s.json")["problem"] as? String ?? "none")) }
            #expect(folder.lines("m.prom").contains(#"pledge_run_exit_code{command="export",shard="0/1"} \#(code)"#))
        }
        // An error in the middle.
        let results = folder.path("other.jsonl")
        sandboxes.at(request: 5) { unlink(results) }
        let run = try start([try accounts(1...40), "--output", results, "--sections", "profile,participant"] + summary)
        #expect(await run.end() == 1, "\(run.errors)")
        #expect(try json("s.json")["exit"] as? Int == 1)
        #expect(try (json("s.json")["problem"] as? String)?.contains("deleted while it was written") == true)
    }

    @Test(
        "Input without accounts is a mistake, after which nothing is written, unless it is accepted",
        arguments: ["", "\n \n", "{}\n"])
    func empty(text: String) async throws {
        let file = try folder.file("accounts.jsonl", holding: text).path
        for command in [
            ["export"], ["export", "--check"], ["export", "--output", folder.path("r.jsonl"), "--format", "csv"],
            ["sync", "--database", folder.path("a.db")], ["export", "--shard", "1/2"],
        ] {
            for input in [file, "-"] {
                let run = try ToolRun(command + [input], sandboxes.environment, input: text)
                #expect(await run.end() == 64, "\(command) \(input)")
                #expect(run.errors.contains("has no accounts. Check what writes it"), "\(run.errors)")
                #expect(run.errors.contains("Line 1 was skipped") == (text == "{}\n"), "\(run.errors)")
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["accounts.jsonl"])
            }
        }
        for input in [file, "-"] {
            for command in [["export"], ["sync", "--database", folder.path("a.db")]] {
                let run = try ToolRun(command + [input, "--accept-empty"], sandboxes.environment, input: text)
                #expect(await run.end() == (text == "{}\n" ? 2 : 0), "\(run.errors)")
            }
        }
    }

    @Test(
        "A shard without accounts is no mistake, in a file or from standard input, nor is input that begins with invalid lines"
    )
    func emptyShard() async throws {
        let text = "\n{}\n" + sandboxes.line(1) + "\n" + sandboxes.line(1) + "\n"
        let file = try folder.file("accounts.jsonl", holding: text).path
        var lines: [Int] = []
        for (input, part) in [(file, "0/2"), (file, "1/2"), ("-", "0/2"), ("-", "1/2")] {
            let run = try start([input, "--shard", part, "--sections", "profile,participant"], input: text)
            #expect(await run.end() == 2)
            #expect(run.errors.components(separatedBy: "1 line could not be read").count == 2, "\(run.errors)")
            lines.append(run.output.split(separator: "\n").count)
        }
        #expect(lines.sorted() == [0, 0, 1, 1] && lines[0] == lines[2])
    }

    @Test("An interrupt ends the wait for a first line")
    func interruptedBeforeFirstLine() async throws {
        let pipe = Pipe()
        var unread = pollfd(fd: dup(pipe.fileHandleForReading.fileDescriptor), events: Int16(POLLIN), revents: 0)
        defer { close(unread.fd) }
        pipe.fileHandleForWriting.write(Data("{}\n".utf8))
        let run = try ToolProcess(["export", "--summary", folder.path("s.json")], sandboxes.environment, from: pipe)
        // It is ready for a signal once it has read the invalid line.
        while poll(&unread, 1, 1) != 0 { await Task.yield() }
        run.send(SIGTERM)
        #expect(await run.end() == 130, "\(run.errors)")
        #expect(try json("s.json")["exit"] as? Int == 130)
        try pipe.fileHandleForWriting.close()
    }

    @Test("With accounts from standard input, temporary errors stay, and the tool reports that")
    func piped() async throws {
        let file = try accounts(1...2)
        sandboxes.server.script.next(2, matching: "GET /api/2", respond: .text("<html>", status: 200))
        #expect(await (try start([file] + output)).end() == 2)

        for (more, code, words) in [
            ([], 2, "would be repeated now"), (["--retry", "all"], 64, "requires the accounts in a file"),
        ]
            as [([String], Int32, String)]
        {
            let run = try start(output + ["--resume"] + more, input: folder.text("accounts.jsonl"))
            #expect(await run.end() == code)
            #expect(run.errors.contains(words), "\(run.errors)")
        }
        #expect(folder.lines("r.jsonl").count == 2)
    }
}
