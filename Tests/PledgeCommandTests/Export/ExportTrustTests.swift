import Foundation
import Pledge
import PledgeFiles
import PledgeSandbox
import PledgeTestSupport
import Testing

@testable import PledgeBatch
@testable import PledgeCommand

@Suite("`pledge export`, stopped and resumed", .serialized)
final class ExportTrustTests: ToolSuite {
    @Test(
        "On an interrupt or a hangup, an export finishes its requests and says how to continue; with nohup, it goes on",
        arguments: [(SIGINT, "true"), (SIGHUP, "true"), (SIGHUP, "trap '' HUP")])
    func interrupted(signal: Int32, before: String) async throws {
        let arguments = ["export", try accounts(1...200), "--in-flight", "4"] + output
        let process = try sandboxes.start(stopping: { $0.send(signal) }, atRequest: 50) {
            try ToolProcess(arguments, sandboxes.environment, after: before)
        }
        guard before == "true" else {
            await process.end(0)
            return
        }
        await process.end(130, saying: "Finishing the requests in progress", "continue with --resume")
        #expect(try 50..<200 ~= results.count && results.allSatisfy { $0.errorKind == nil })
        #expect(folder.text("r.jsonl").hasSuffix("}\n"))
    }

    @Test("A second interrupt ends the tool even if the message about the first interrupt can't be written")
    func interruptedTwice() async throws {
        let errors = Pipe()
        // Nobody reads this pipe. When it is full, the tool can't write its messages.
        let end = errors.fileHandleForWriting.fileDescriptor
        try #require(fcntl(end, F_SETFL, O_NONBLOCK) == 0)
        while write(end, "full", 1) == 1 {}
        try #require(fcntl(end, F_SETFL, 0) == 0)
        let arguments = ["export", try accounts(1...400)] + output
        @Sendable func stop(_ process: ToolProcess) {
            // Sends the signal again and again, because signals that arrive together count as one.
            while process.isRunning {
                process.send(SIGINT)
                sched_yield()
            }
        }
        try await sandboxes.start(stopping: stop, atRequest: 1) {
            try ToolProcess(arguments, sandboxes.environment, errors: errors.fileHandleForWriting)
        }.end(130)
    }

    @Test(
        "An export that waits for input or for a rate limit ends at once when interrupted",
        arguments: [["Retry-After": "3000"], [:]] as [ServerHeaders])
    func interruptedIdle(headers: ServerHeaders) async throws {
        sandboxes.server.script.next(.max, matching: "GET /api/2", respond: .empty(429, headers: headers))
        // The writing end of the pipe stays open, so more input could come.
        let pipe = Pipe()
        pipe.fileHandleForWriting.write(Data(sandboxes.lines(1...2).utf8))
        let process = try sandboxes.start(matching: "GET /api/v1") {
            try ToolRun(
                ["export", "--sections", "profile,participant"], sandboxes.environment, from: pipe.fileHandleForReading)
        } answering: { _, run in
            // At this request, the Exist account is waiting for its rate limit, or is about to wait for it.
            run.interrupt()
            return nil
        }
        #expect(try await process.end(130).results.map(\.account) == ["a2"])
        try pipe.fileHandleForWriting.close()
    }

    @Test(
        "If a file is given for two purposes, even by two paths, the run fails before it writes or sends anything",
        arguments: [
            (["export", "--output", "@r.jsonl", "--metrics", "@r.jsonl.run"], "the file for results"),
            (["export", "--metrics", "@accounts.jsonl"], "the input"),
            (["export", "--output", "@s", "--metrics", "@deep/../s"], "the file for results"),
            (["export", "--metrics", "@link"], "the input"),
            (["sync", "--database", "@a.db", "--metrics", "@a.db"], "the file for results"),
            (["sync", "--database", "@a.db", "--metrics", "@a.db-wal"], "the file for results"),
            (["sync", "--database", "@a.db", "--metrics", "@a.db-claim"], "the file for results"),
        ])
    func filesForTwo(_ command: [String], _ role: String) async throws {
        let (accounts, before) = (try accounts(1...2), sandboxes.lines(1...2))
        try folder.link("link", to: accounts)
        try folder.folder("deep")
        try await Tool.run(
            command.map { $0.first == "@" ? folder.path(String($0.dropFirst())) : $0 } + [accounts],
            sandboxes.environment, exits: 64,
            saying: " is \(role): choose another file for \(command[command.count - 2]).")
        #expect(try folder.names == ["accounts.jsonl", "deep", "link"] && folder.text("accounts.jsonl") == before)
        #expect(sandboxes.server.requests.isEmpty)
    }

    @Test("A file that is standard input or output can't be given for another purpose, but /dev/null can be")
    func standardFilesForTwo() async throws {
        let (accounts, file) = (try accounts(1...2), try folder.file("out", holding: "before\n"))
        try await start([accounts, "--metrics", file.path], output: try FileHandle(forWritingTo: file)).end(64)
        let input = FileHandle(forReadingAtPath: accounts)
        try await ToolRun(["export", "--output", accounts, "--resume"], sandboxes.environment, from: input)
            .end(64, saying: "is the input: choose another file")
        #expect(folder.text("out") == "before\n" && folder.text("accounts.jsonl") == sandboxes.lines(1...2))
        try await export([accounts, "--output", "/dev/null", "--metrics", "/dev/null"])
    }

    @Test("An export whose standard input or output is closed fails", arguments: [">&-", "<&-"])
    func closedStandardFiles(redirection: String) async throws {
        let input = try redirection == "<&-" ? "-" : accounts(1...2)
        let tool = try ToolProcess(["export", input], sandboxes.environment, after: "exec \(redirection)")
        await Wait.until { !tool.isRunning }
        await tool.end(1)
    }

    @Test("With %F in the file's name, an interrupted run is finished on a later day before a new run begins")
    func dayInName() async throws {
        let arguments = [
            try accounts(1...60), "--output", folder.path("r-%F.jsonl"), "--resume", "--sections",
            "profile,participant", "--in-flight", "2",
        ]
        func names() throws -> [String] { try folder.names.filter { $0.hasPrefix("r-") } }
        let first = try await sandboxes.start(stopping: { $0.interrupt() }, atRequest: 20) { try start(arguments) }
            .end(130)
        #expect(!first.errors.contains("is a run that began") && !first.errors.contains("Resuming"))
        let (name, later) = (try #require(try names().first), Timekeeper.jumping(days: 3))
        sandboxes.server.script.reset()
        sandboxes.server.script.next(1, respond: .empty(403))
        try await export(
            arguments, clock: later, exits: 2, saying: "\(name) is a run that began on \(name.dropFirst(2).prefix(10))",
            "--output \(folder.path(name)) --resume --retry forbidden")
        #expect(try names() == [name, name + ".run"] && folder.lines(name).count == 60)

        try await export(arguments, clock: later)
        let new = try #require(try names().last { $0.hasSuffix(".jsonl") })
        #expect(new > name && folder.lines(new).count == 60)
        // A run counts as old only if it began more than a day ago.
        for (seconds, isOld) in [(0.0, false), (86_400, false), (86_401, true)] {
            let clock = Timekeeper(now: { Date(timeIntervalSince1970: seconds) }, schedule: Timekeeper.live.schedule)
            let run = try await export([accounts(1...1), "--resume"] + output, clock: clock)
            #expect(run.errors.contains("is a run that began") == isOld)
        }
    }

    #if os(Linux)
        @Test("A full disk ends an export with a clear message and exit code 1")
        func fullDisk() async throws {
            let arguments = [try accounts(1...50), "--output", "/dev/full", "--sections", "profile,participant"]
            try await export(arguments, exits: 1, saying: "/dev/full cannot be written: the disk is full")
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
        await process.end(1, saying: "standard output cannot be written: its reader has closed it")
    }

    @Test("Under faults of all kinds, every account ends with a result or a specific error")
    func faults() async throws {
        let mix = try FaultMix("all=0.15,429=0.05")
        let generator = Locked(SplitMix64(state: 3))
        sandboxes.server.script.next(.max) { request in
            mix.fault(at: generator.withLock { Double.random(in: 0..<1, using: &$0) })?.value(request)
        }
        try await export(
            [
                try accounts(1...150), "--output", folder.path("r.jsonl"), "--sections",
                "profile,averages,participant,tasks", "--in-flight", "50", "--wait", "60",
            ], exits: 2)
        let results = try results
        #expect(results.map(\.account).sorted() == (1...150).map { "a\($0)" }.sorted())
        let kinds = Set(results.compactMap(\.errorKind))
        #expect(
            kinds.isSuperset(of: ["unauthorized", "forbidden", "notFound", "unreadable", "redirected"]), "\(kinds)")
        #expect(!kinds.contains("other") && !kinds.contains("cancelled"), "\(kinds)")
        #expect(results.filter { $0.errorKind == nil }.count > 75)
    }
}
