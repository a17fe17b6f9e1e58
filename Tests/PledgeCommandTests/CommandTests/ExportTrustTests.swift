import Foundation
import PledgeFiles
import Pledge
import PledgeSandbox
import PledgeTestSupport
import Testing

@testable import PledgeBatch
@testable import PledgeCommand

/// What an unattended export must guarantee.
@Suite("`pledge export`, stopped and resumed", .serialized)
struct ExportTrustTests {
    let sandboxes: BothSandboxes
    let folder: TemporaryFolder

    init() throws {
        sandboxes = try BothSandboxes()
        folder = try TemporaryFolder()
    }

    private func start(_ arguments: [String], output: FileHandle? = nil) throws -> ToolRun {
        try ToolRun(["export"] + arguments, sandboxes.environment, output: output, clock: .jumping())
    }

    private func accounts(_ numbers: ClosedRange<Int>) throws -> String {
        try folder.file("accounts.jsonl", holding: sandboxes.lines(numbers)).path
    }

    /// Runs an export in a process, and sends it a signal at the request with this number.
    private func run(
        _ arguments: [String], _ signal: Int32, atRequest number: Int
    ) async throws -> (status: Int32, errors: String) {
        let process = try sandboxes.start(stopping: { $0.send(signal) }, atRequest: number) {
            try ToolProcess(["export"] + arguments, sandboxes.environment)
        }
        return (await process.end(), process.errors)
    }

    /// Runs an export that is interrupted at the request with this number.
    private func interrupt(_ arguments: [String], atRequest number: Int) async throws -> ToolRun {
        let run = try sandboxes.start(stopping: { $0.interrupt() }, atRequest: number) { try start(arguments) }
        #expect(await run.end() == 130, "\(run.errors)")
        return run
    }

    @Test("Killed and resumed, an export has every account once in its tables, too", .timeLimit(.minutes(60)))
    func killsWithTables() async throws {
        let arguments = [
            try accounts(1...60), "--output", folder.path("r.jsonl"), "--resume", "--format", "csv", "--sections",
            "averages,devicedata", "--quiet", "--in-flight", "8",
        ]
        var dice = SeededGenerator(seed: 9)
        for _ in 0..<Rounds.count(usual: 3) {
            let (status, _) = try await run(arguments, SIGKILL, atRequest: .random(in: 5...20, using: &dice))
            #expect(status == -SIGKILL)
        }
        sandboxes.server.script.reset()

        let last = try start(arguments)
        #expect(await last.end() == 0, "\(last.errors)")

        for (table, list, service) in [("values", "values", "mydatahelps"), ("averages", "averages", "exist")] {
            let rows = folder.text("r.\(table).csv").components(separatedBy: "\r\n").dropFirst().dropLast()
            var counts = Dictionary(grouping: rows) { $0.split(separator: ",")[1].description }.mapValues(\.count)
            for result in try folder.lines("r.jsonl").map({ try ResultLine($0) }) where result.service == service {
                let facts = result.list(list)
                let expected = list == "values" ? facts.count : facts.reduce(0) { $0 + $1.count - 2 }
                #expect(counts.removeValue(forKey: result.account) == expected, "\(table) of \(result.account)")
            }
            #expect(counts.isEmpty)
        }
    }

    @Test("An interrupted export finishes the requests in progress, explains how to continue, and exits with 130")
    func interrupted() async throws {
        let arguments = [
            try accounts(1...400), "--output", folder.path("r.jsonl"), "--sections", "profile,participant",
            "--in-flight", "4",
        ]
        let (status, errors) = try await run(arguments, SIGINT, atRequest: 50)

        #expect(status == 130)
        #expect(errors.contains("Finishing the requests in progress"))
        #expect(errors.contains("continue with --resume"))
        let lines = folder.lines("r.jsonl")
        #expect(50..<400 ~= lines.count, "\(lines.count)")
        #expect(try lines.allSatisfy { try ResultLine($0).errorKind == nil })
        #expect(folder.text("r.jsonl").hasSuffix("}\n"))
    }

    @Test("A second interruption ends the tool even while the message about the first one cannot be written")
    func interruptedTwice() async throws {
        let errors = Pipe()
        // Nobody reads it.
        let end = errors.fileHandleForWriting.fileDescriptor
        try #require(fcntl(end, F_SETFL, O_NONBLOCK) == 0)
        while write(end, "full", 1) == 1 {}
        try #require(fcntl(end, F_SETFL, 0) == 0)
        let isThere = DispatchSemaphore(value: 0)
        sandboxes.at(request: 1) { isThere.signal() }
        let process = try ToolProcess(
            ["export", try accounts(1...400), "--output", folder.path("r.jsonl")], sandboxes.environment,
            errors: errors.fileHandleForWriting)
        let isOver = Locked(false)
        Thread {
            isThere.wait()
            // Signals that arrive together count as one.
            while !isOver.withLock({ $0 }) {
                process.send(SIGINT)
                sched_yield()
            }
        }.start()
        #expect(await process.end() == 130)
        isOver.withLock { $0 = true }
    }

    @Test(
        "An export that is interrupted while it waits for input or for a limit ends at once",
        arguments: [["Retry-After": "3000"], [:]] as [SandboxHeaders])
    func interruptedIdle(headers: SandboxHeaders) async throws {
        sandboxes.server.script.next(.max, matching: "GET /api/2", respond: .empty(429, headers: headers))
        let (holder, isThere) = (Locked<ToolRun?>(nil), DispatchSemaphore(value: 0))
        sandboxes.server.script.next(.max, matching: "GET /api/v1") { _ in
            // Exist's account has received its rate limit, or is about to.
            isThere.wait()
            holder.withLock { $0 }?.interrupt()
            return nil
        }
        // The other end stays open: more input could come.
        let pipe = Pipe()
        let process = try ToolRun(
            ["export", "--sections", "profile,participant"], sandboxes.environment, from: pipe.fileHandleForReading)
        pipe.fileHandleForWriting.write(Data(sandboxes.lines(1...2).utf8))
        holder.withLock { $0 = process }
        isThere.signal()

        #expect(await process.end() == 130)
        #expect(try process.output.split(separator: "\n").map { try ResultLine(String($0)).account } == ["a2"])
        try pipe.fileHandleForWriting.close()
    }

    @Test("A truncated last line is removed, wherever it was cut off, and its account is exported again")
    func tornLine() async throws {
        let accounts = try accounts(1...3)
        let file = folder.path("r.jsonl")
        let arguments = [accounts, "--output", file, "--sections", "profile,participant", "--in-flight", "1"]
        #expect(await (try start(arguments)).end() == 0)
        let whole = folder.text("r.jsonl")
        let last = try #require(whole.split(separator: "\n").last).utf8.count + 1

        for kept in [0, 1, 20, last - 2, last - 1] {
            try folder.file("r.jsonl", holding: String(decoding: whole.utf8.dropLast(last - kept), as: UTF8.self))
            let resumed = try start(arguments + ["--resume"])
            #expect(await resumed.end() == 0, "\(resumed.errors)")
            #expect(
                try folder.lines("r.jsonl").map { try ResultLine($0).account } == ["a1", "a2", "a3"], "kept \(kept)")
        }
    }

    @Test("Two exports at once do not write the same results")
    func locked() async throws {
        let accounts = try accounts(1...1)
        let other = try ExportResults(at: OutputPath(folder.path("locked.jsonl")))
        let second = try start([accounts, "--output", folder.path("locked.jsonl"), "--resume"])
        #expect(await second.end() == 1)
        #expect(second.errors.contains("is being written by another process"))
        withExtendedLifetime(other) {}
    }

    @Test("Accounts that failed keep their line until `--retry` repeats them")
    func retry() async throws {
        let accounts = try accounts(1...4)
        let arguments = [accounts, "--output", folder.path("r.jsonl"), "--sections", "profile,participant"]
        sandboxes.server.script.next(2, respond: .empty(403))
        #expect(await (try start(arguments)).end() == 2)

        sandboxes.server.resetRequests()
        let resumed = try start(arguments + ["--resume"])
        #expect(await resumed.end() == 2)
        #expect(resumed.errors.contains("2 of them failed; --retry all repeats them."))
        #expect(sandboxes.server.requests.isEmpty)

        let retried = try start(arguments + ["--resume", "--retry", "all"])
        #expect(await retried.end() == 0)
        #expect(sandboxes.server.requests.count == 2)
        let results = try folder.lines("r.jsonl").map { try ResultLine($0) }
        #expect(results.map(\.account).sorted() == ["a1", "a2", "a3", "a4"])
        #expect(results.allSatisfy { $0.errorKind == nil })
    }

    @Test("The file of standard input is never overwritten with results")
    func inputAsOutput() async throws {
        let path = try accounts(1...3)
        let run = try ToolRun(
            ["export", "--output", path, "--resume"], sandboxes.environment, from: FileHandle(forReadingAtPath: path))
        #expect(await run.end() == 64 && run.errors.contains("is the input: choose another file"), "\(run.errors)")
        #expect(folder.text("accounts.jsonl") == sandboxes.lines(1...3) && sandboxes.server.requests.isEmpty)
    }

    @Test(
        "A file in two roles, by whatever path, is rejected before anything is written",
        arguments: [
            (["--output", "@r.jsonl", "--summary", "@r.jsonl"], "the file for results"),
            (["--output", "@r.jsonl", "--metrics", "@r.jsonl.run"], "the file for results"),
            (["--output", "@r.jsonl", "--format", "csv", "--summary", "@r.tasks.csv"], "the file for results"),
            (["--metrics", "@accounts.jsonl"], "the input"), (["--check", "--summary", "@link"], "the input"),
            (["--summary", "@s", "--metrics", "@deep/../s"], "the file for the summary"),
        ])
    func filesForTwo(_ options: [String], _ role: String) async throws {
        let accounts = try accounts(1...2)
        let before = folder.text("accounts.jsonl")
        try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: accounts)
        try FileManager.default.createDirectory(atPath: folder.path("deep"), withIntermediateDirectories: false)
        let run = try start([accounts] + options.map { $0.first == "@" ? folder.path(String($0.dropFirst())) : $0 })

        #expect(await run.end() == 64)
        #expect(
            run.errors.contains(" is \(role): choose another file for \(options[options.count - 2])."), "\(run.errors)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
        #expect(names == ["accounts.jsonl", "deep", "link"] && folder.text("accounts.jsonl") == before)
        #expect(sandboxes.server.requests.isEmpty)
    }

    @Test("The file of standard output cannot be the summary, too, but a device can have several roles")
    func standardOutputForTwo() async throws {
        let (accounts, output) = (try accounts(1...2), try folder.file("out", holding: "before\n"))
        let same = try start(
            [accounts, "--summary", output.path], output: try FileHandle(forWritingTo: output))
        #expect(await same.end() == 64 && folder.text("out") == "before\n")
        let devices = try start([
            accounts, "--output", "/dev/null", "--summary", "/dev/null", "--metrics", "/dev/null",
        ])
        #expect(await devices.end() == 0, "\(devices.errors)")
    }

    @Test("Without a standard output or input, an export fails")
    func closedStandardFiles() async throws {
        let accounts = try accounts(1...2)
        for redirection in [">&-", "<&-"] {
            Tool.countStart()
            let input = redirection == "<&-" ? "-" : accounts
            let run = try Executable.run(
                ["sh", "-c", "exec \"$0\" export \"$1\" --quiet \(redirection)", Tool.executable.path, input],
                environment: ProcessInfo.processInfo.environment.merging(sandboxes.environment) { $1 })
            #expect(run.status == 1, "\(redirection): \(run.output)")
        }
    }

    @Test("A run that is resumed can add tables of all results, and cannot leave them outdated")
    func tablesBelong() async throws {
        let arguments = [try accounts(1...2), "--output", folder.path("r.jsonl"), "--sections", "averages,participant"]
        #expect(await (try start(arguments)).end() == 0)

        let added = try start(arguments + ["--resume", "--format", "csv"])
        #expect(await added.end() == 0, "\(added.errors)")
        #expect(folder.text("r.averages.csv").contains("exist,a1,"))
        let omitted = try start(arguments + ["--resume"])
        #expect(await omitted.end() == 64)
        #expect(omitted.errors.contains("add --format csv"))
    }

    @Test("Results that were edited between two runs lose nothing: neither lines nor rows of the tables")
    func edited() async throws {
        let arguments = [
            try accounts(1...9), "--output", folder.path("r.jsonl"), "--sections", "averages,devicedata", "--format",
            "csv", "--resume", "--in-flight", "1",
        ]
        #expect(await (try start(arguments)).end() == 0)
        let (lines, averages) = (folder.lines("r.jsonl"), folder.text("r.averages.csv"))

        // An editor has removed a line, and ends the others in its own way.
        let kept = lines.filter { !$0.contains("\"a3\"") }
        try folder.file("r.jsonl", holding: kept.map { $0 + " \r\n" }.joined())
        sandboxes.server.resetRequests()
        let resumed = try start(arguments)
        #expect(await resumed.end() == 0, "\(resumed.errors)")
        #expect(sandboxes.server.requests.count == 1)
        #expect(folder.text("r.jsonl").hasPrefix(kept.map { $0 + " \r\n" }.joined() + "{"))
        let done = try Array(folder.text("r.jsonl").utf8).split(separator: 0x0A).map { line in
            try ResultLine(String(decoding: line, as: UTF8.self)).account
        }
        #expect(done.sorted() == (1...9).map { "a\($0)" })
        func rows(_ text: String) -> [String] { text.components(separatedBy: "\r\n").sorted() }
        #expect(rows(folder.text("r.averages.csv")) == rows(averages))

        // Half a line in the middle, and one twice.
        let broken = (kept + [String(kept[1].dropLast(9)), kept[0]]).map { $0 + "\n" }.joined()
        try folder.file("r.jsonl", holding: broken)
        let (record, tables) = (folder.text("r.jsonl.run"), folder.text("r.averages.csv"))
        sandboxes.server.resetRequests()
        let refused = try start(arguments)
        #expect(await refused.end() == 64)
        #expect(refused.errors.contains("line 9 is not a result; line 10 is a second line for"), "\(refused.errors)")
        #expect(folder.text("r.jsonl") == broken && sandboxes.server.requests.isEmpty)
        #expect(folder.text("r.jsonl.run") == record && folder.text("r.averages.csv") == tables)
    }

    @Test("An interrupted export has tables of the lines it has, and one whose tables cannot be written has all lines")
    func endingsWithTables() async throws {
        let arguments = [
            try accounts(1...100), "--output", folder.path("r.jsonl"), "--sections", "averages,participant", "--format",
            "csv", "--in-flight", "4",
        ]
        _ = try await interrupt(arguments, atRequest: 30)
        func accountsInTable() throws -> Set<String> {
            Set(try #require(CSVText.rows(folder.text("r.averages.csv"))).dropFirst().map { $0[1] })
        }
        func accountsOfExist() throws -> Set<String> {
            Set(try folder.lines("r.jsonl").map { try ResultLine($0) }.filter { $0.service == "exist" }.map(\.account))
        }
        #expect(try !accountsInTable().isEmpty && accountsInTable() == accountsOfExist())

        let before = folder.text("r.averages.csv")
        sandboxes.at(request: 40) { [folder] in
            // Another program has put its own in their place.
            _ = try? folder.file("own", holding: "my own\n")
            rename(folder.path("own"), folder.path("r.averages.csv"))
        }
        let resumed = try start(arguments + ["--resume"])
        #expect(await resumed.end() == 1)
        #expect(resumed.errors.contains("--resume makes their tables"), "\(resumed.errors)")
        #expect(folder.text("r.averages.csv") == "my own\n" && folder.lines("r.jsonl").count == 100)

        sandboxes.server.script.reset()
        try folder.file("r.averages.csv", holding: before)
        sandboxes.server.resetRequests()
        #expect(await (try start(arguments + ["--resume"])).end() == 0)
        #expect(sandboxes.server.requests.isEmpty)
        #expect(try accountsInTable() == accountsOfExist())
    }

    @Test(
        "With the day in the name, an interrupted run is continued on another day, and a finished one followed by another"
    )
    func dayInName() async throws {
        let arguments = [
            try accounts(1...60), "--output", folder.path("r-%F.jsonl"), "--resume", "--sections",
            "profile,participant", "--in-flight", "2",
        ]
        func names() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path).filter { $0.hasPrefix("r-") }.sorted()
        }
        let first = try await interrupt(arguments, atRequest: 20)
        #expect(!first.errors.contains("is a run that began"))
        // That was some days ago.
        let today = try #require(try names().first).dropFirst(2).prefix(10)
        let record = folder.text("r-\(today).jsonl.run")
        let began = try #require(record.firstMatch(of: /"began" : "(.*?)T/)).output.1
        for suffix in ["", ".run"] {
            try FileManager.default.moveItem(
                atPath: folder.path("r-\(today).jsonl\(suffix)"), toPath: folder.path("r-2026-01-02.jsonl\(suffix)"))
        }
        try folder.file(
            "r-2026-01-02.jsonl.run",
            holding: record.replacingOccurrences(of: today, with: "2026-01-02")
                .replacingOccurrences(of: began, with: "2026-01-02"))

        sandboxes.server.script.reset()
        sandboxes.server.script.next(1, respond: .empty(403))
        let second = try start(arguments)
        #expect(await second.end() == 2, "\(second.errors)")
        #expect(second.errors.contains("r-2026-01-02.jsonl is a run that began on 2026-01-02"), "\(second.errors)")
        #expect(second.errors.contains("--output \(folder.path("r-2026-01-02.jsonl")) --resume --retry forbidden"))
        #expect(try names() == ["r-2026-01-02.jsonl", "r-2026-01-02.jsonl.run"])
        #expect(folder.lines("r-2026-01-02.jsonl").count == 60)

        let third = try start(arguments)
        #expect(await third.end() == 0, "\(third.errors)")
        let new = try #require(try names().last { $0.hasSuffix(".jsonl") })
        #expect(new > "r-2026-01-02.jsonl" && folder.lines(new).count == 60)
    }

    #if os(Linux)
        @Test("A full disk ends an export with a clear message and exit code 1")
        func fullDisk() async throws {
            let process = try start([
                try accounts(1...50), "--output", "/dev/full", "--sections", "profile,participant",
            ])

            #expect(await process.end() == 1)
            #expect(
                process.errors.contains("/dev/full cannot be written: the disk is full"), "\(process.errors)")
        }
    #endif

    @Test("A closed pipe ends an export with a clear message and exit code 1")
    func closedPipe() async throws {
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        let process = try ToolProcess(
            ["export", try accounts(1...50), "--sections", "profile,participant"], sandboxes.environment,
            output: pipe.fileHandleForWriting)
        try pipe.fileHandleForWriting.close()

        #expect(await process.end() == 1)
        #expect(
            process.errors.contains("standard output cannot be written: its reader has closed it"), "\(process.errors)")
    }

    @Test("Under faults of every kind, every account ends with a result or a specific error")
    func faults() async throws {
        let mix = try FaultMix("all=0.15,429=0.05")
        let dice = Locked(Dice(state: 3))
        sandboxes.server.script.next(.max) { request in
            mix.fault(at: dice.withLock { Double.random(in: 0..<1, using: &$0) })?.response(to: request)
        }
        let process = try start(
            [
                try accounts(1...150), "--output", folder.path("r.jsonl"), "--sections",
                "profile,averages,participant,tasks", "--in-flight", "50", "--wait", "60",
            ])

        #expect(await process.end() == 2, "\(process.errors)")
        let results = try folder.lines("r.jsonl").map { try ResultLine($0) }
        #expect(results.map(\.account).sorted() == (1...150).map { "a\($0)" }.sorted())
        let kinds = Set(results.compactMap(\.errorKind))
        #expect(
            kinds.isSuperset(of: ["unauthorized", "forbidden", "notFound", "unreadable", "redirected"]), "\(kinds)")
        #expect(!kinds.contains("other") && !kinds.contains("cancelled"), "\(kinds)")
        #expect(results.filter { $0.errorKind == nil }.count > 75)
    }
}
