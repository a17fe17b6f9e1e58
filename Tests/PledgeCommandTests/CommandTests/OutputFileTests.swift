import Foundation
import PledgeSandbox
import PledgeTestSupport
import Testing

@testable import PledgeCommand

/// Files of the whole tool: who can read them, and what another user may have put in the way.
@Suite("Files that the tool writes", .serialized)
struct OutputFileTests {
    let sandboxes: BothSandboxes
    let folder: TemporaryFolder

    init() throws {
        sandboxes = try BothSandboxes(isEmpty: true)
        folder = try TemporaryFolder()
    }

    private func mode(_ name: String) -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: folder.path(name))
        return attributes?[.posixPermissions] as? Int ?? 0
    }

    private func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: folder.path(name), withDestinationPath: target)
    }

    private func export(_ arguments: [String]) async throws -> (status: Int32, errors: String) {
        let accounts = try folder.file("accounts.jsonl", holding: sandboxes.lines(1...4)).path
        let process = try ToolRun(
            ["export", accounts, "--sections", "profile,participant"] + arguments, sandboxes.environment)
        return (await process.end(), process.errors)
    }

    @Test("Results, tables, pages, and account files are accessible only to their owner")
    func modes() async throws {
        #expect(try await export(["--output", folder.path("r.jsonl"), "--format", "csv"]).status == 0)
        #expect(try await Tool.run(["report", "--html", folder.path("week.html")]).status == 0)
        // The sandbox ends with its input, which ends at once.
        let input = Pipe()
        try input.fileHandleForWriting.close()
        let served = try ToolRun(
            ["sandbox", "--accounts-file", folder.path("served.jsonl")], from: input.fileHandleForReading)
        #expect(await served.end() == 0)

        #expect(!folder.lines("served.jsonl").isEmpty)
        let tables = CSVTable.allCases.map { "r.\($0.rawValue).csv" }
        for name in ["r.jsonl", "r.jsonl.run", "week.html", "served.jsonl"] + tables {
            #expect(mode(name) == 0o600, "\(name)")
        }
    }

    @Test("`--retry` does not write through a planted link, and the results stay accessible only to their owner")
    func plantedCopy() async throws {
        let output = ["--output", folder.path("r.jsonl"), "--resume"]
        sandboxes.server.script.next(2, respond: .empty(403))
        #expect(try await export(output).status == 2)
        try folder.file("victim", holding: "precious")
        try link("r.jsonl.tmp", to: "victim")

        let run = try await export(output + ["--retry", "all"])
        #expect(run.status == 0, "\(run.errors)")
        #expect(folder.text("victim") == "precious")
        #expect(folder.lines("r.jsonl").count == 4)
        #expect(mode("r.jsonl") == 0o600)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(!names.contains { $0.hasPrefix(".pledge-") })
    }

    @Test(
        "`--output` and `--database` are refused before anything is asked, and everything stays as it is",
        arguments: [
            (["export", "--output"], "none/r", 1, "there is no such folder"),
            (["export", "--output"], "disk", 1, "is a folder"),
            (["export", "--output"], "accounts.jsonl", 64, "is the input: choose another file"),
            (["export", "--output"], "link", 64, "is the input: choose another file"),
            (["export", "--output"], "diary", 64, "add --resume"),
            (["export", "--resume", "--output"], "diary", 64, "choose another file"),
            (["export", "--resume", "--output"], "link", 64, "is the input: choose another file"),
            (["export", "--resume", "--output"], "a.db", 64, "choose another file"),
            (["sync", "--database"], "none/a.db", 1, "there is no such folder"),
            (["sync", "--database"], "disk", 1, "is a folder"),
            (["sync", "--database"], "accounts.jsonl", 64, "is the input: choose another file"),
            (["sync", "--database"], "link", 64, "is the input: choose another file"),
            (["sync", "--database"], "diary", 1, "is not a SQLite database"),
        ] as [([String], String, Int32, String)])
    func refused(_ command: [String], _ name: String, _ status: Int32, _ words: String) async throws {
        let accounts = try folder.file("accounts.jsonl", holding: sandboxes.lines(1...2)).path
        try folder.file("diary", holding: String(repeating: "This is a diary, and no line of it is data.\n", count: 9))
        try folder.file("a.db", holding: "SQLite format 3\0\u{10}")
        try link("link", to: "accounts.jsonl")
        try FileManager.default.createDirectory(atPath: folder.path("disk"), withIntermediateDirectories: false)
        func everything() throws -> [String: Data?] {
            let names = try FileManager.default.subpathsOfDirectory(atPath: folder.url.path)
            return Dictionary(
                uniqueKeysWithValues: names.map { ($0, FileManager.default.contents(atPath: folder.path($0))) })
        }
        let before = try everything()

        let run = try await Tool.run(command + [folder.path(name), accounts], sandboxes.environment)

        #expect(run.status == status && run.errors.contains(words), "\(run.errors)")
        #expect(sandboxes.server.requests.isEmpty)
        #expect(try everything() == before)
    }

    @Test("Results behind a link that was named stay there, even when they are rewritten")
    func namedLink() async throws {
        try FileManager.default.createDirectory(
            at: folder.url.appendingPathComponent("disk"), withIntermediateDirectories: true)
        try folder.file("disk/results", holding: "")
        try link("r.jsonl", to: "disk/results")
        sandboxes.server.script.next(2, respond: .empty(403))
        #expect(try await export(["--output", folder.path("r.jsonl")]).status == 2)
        #expect(try await export(["--output", folder.path("r.jsonl"), "--resume", "--retry", "all"]).status == 0)

        #expect(folder.lines("disk/results").count == 4)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.path("r.jsonl")) == "disk/results")
    }

    @Test("A link in place of a table is rejected before anything is sent, and its target is not truncated")
    func plantedTable() async throws {
        try folder.file("victim", holding: "a=1\n")
        try link("r.values.csv", to: "victim")
        for more in [[], ["--resume"]] {
            sandboxes.server.resetRequests()
            let run = try await export(["--output", folder.path("r.jsonl"), "--format", "csv"] + more)
            #expect(run.status == 1 && run.errors.contains("r.values.csv cannot be written"), "\(run.errors)")
            #expect(sandboxes.server.requests.isEmpty)
        }
        #expect(folder.text("victim") == "a=1\n")
    }

    /// Plants something in the name of another user.
    private func plant(_ name: String, mode: mode_t = 0o666, target: String? = nil) throws {
        if let target { try link(name, to: target) } else { try folder.file(name, holding: "") }
        let path = folder.path(name)
        if target == nil { try #require(chmod(path, mode) == 0) }
        try #require(lchown(path, 65_534, gid_t.max) == 0)
    }

    @Test(
        "What another user has planted is neither filled nor followed, and nothing is sent",
        .twoUsers,
        arguments: ["r.jsonl", "r.jsonl.run", "r.values.csv", "week.html", "summary", "metrics", "a.db", "a.db-claim"])
    func plantedByOthers(_ name: String) async throws {
        let accounts = try folder.file("accounts.jsonl", holding: sandboxes.lines(1...2)).path
        let results = [
            "export", accounts, "--output", folder.path("r.jsonl"), "--format", "csv", "--summary",
            folder.path("summary"), "--metrics", folder.path("metrics"),
        ]
        let command =
            switch name {
            case "week.html": ["report", "--html", folder.path(name)]
            case "a.db", "a.db-claim": ["sync", accounts, "--database", folder.path("a.db")]
            default: results
            }
        try folder.file("victim", holding: "precious")
        for target in [nil, "victim"] {
            try plant(name, target: target)
            let run = try ToolRun(command, sandboxes.environment)
            #expect(await run.end() == 1, "\(run.errors)")
            #expect(run.errors.contains(target == nil ? "belongs to another user" : "symbolic link"), "\(run.errors)")
            #expect(folder.text(name) == (target == nil ? "" : "precious"))
            for left in try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
            where !["accounts.jsonl", "victim"].contains(left) {
                try FileManager.default.removeItem(atPath: folder.path(left))
            }
        }
        #expect(folder.text("victim") == "precious" && sandboxes.server.requests.isEmpty)
    }

    @Test("A claim that was there before does not decide the mode of a new database")
    func plantedClaim() async throws {
        try folder.file("a.db-claim", holding: "")
        try #require(chmod(folder.path("a.db-claim"), 0o666) == 0)
        let accounts = try folder.file("accounts.jsonl", holding: sandboxes.lines(1...2)).path
        let command = ["sync", accounts, "--database", folder.path("a.db")]
        #expect(await (try ToolRun(command, sandboxes.environment)).end() == 1)
        #expect(!FileManager.default.fileExists(atPath: folder.path("a.db")))
        try FileManager.default.removeItem(atPath: folder.path("a.db-claim"))
        #expect(await (try ToolRun(command, sandboxes.environment)).end() == 0)
        #expect(mode("a.db") == 0o600)
    }

    @Test("Standard output can be named, whatever file a shell has opened for it")
    func namedOutput() async throws {
        let file = try folder.file("out", holding: "before\n")
        #expect(chmod(file.path, 0o644) == 0)
        let accounts = try folder.file("accounts.jsonl", holding: sandboxes.lines(1...2)).path
        for (arguments, environment) in [
            (["export", accounts, "--output", "/dev/stdout"], sandboxes.environment),
            (["report", "--html", "/dev/stdout"], [:]),
        ] {
            let output = try FileHandle(forWritingTo: file)
            try output.seekToEnd()
            let run = try ToolProcess(arguments, environment, output: output)
            #expect(await run.end() == 0, "\(run.errors)")
        }
        let lines = folder.lines("out")
        #expect(lines[0] == "before" && lines[1].hasPrefix("{\"service\"") && lines[3].hasPrefix("<!"))
    }

    #if os(Linux)
        @Test("Libraries beside the executable are not loaded")
        func plantedLibraries() async throws {
            let tool = folder.url.appendingPathComponent("pledge")
            // Copied by a process of its own: a file that is open for writing here can be inherited by a child that
            // another test starts at that moment, and is “busy” for as long.
            try #require(Executable.run(["cp", Tool.executable.path, tool.path]).status == 0)
            for name in ["libsqlite3.so.0", "libcurl.so.4"] { try folder.file(name, holding: "no library") }
            let accounts = try folder.file("accounts.jsonl", holding: sandboxes.lines(1...2)).path
            let run = try ToolProcess(
                ["sync", accounts, "--database", folder.path("a.db"), "--transport", "curl"], sandboxes.environment,
                executable: tool)
            #expect(await run.end() == 0, "\(run.errors)")
        }
    #endif
}
