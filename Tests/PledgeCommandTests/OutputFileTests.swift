import Foundation
import PledgeSandbox
import PledgeTestSupport
import Testing

@testable import PledgeCommand

@Suite("Files that the tool writes", .serialized)
final class OutputFileTests: ToolSuite {
    init() throws { try super.init(isEmpty: true) }

    @Test("Results, pages, and account files are accessible only to their owner")
    func modes() async throws {
        try await export([try accounts(1...4)] + output)
        let page = folder.path("week.html")
        let report = try await Tool.run(["report", "--demo", "--html", page])
        #expect(report.output.isEmpty && report.errors.onOneLine.contains("Wrote \(page)."))
        try await SandboxRun("--accounts-file", folder.path("served.jsonl")).end()
        #expect(!folder.lines("served.jsonl").isEmpty)
        for name in ["r.jsonl", "r.jsonl.run", "week.html", "served.jsonl"] {
            #expect(folder.mode(name) == 0o600, "\(name)")
        }
    }

    @Test(
        "If an output file can't be written, the command fails before any request and changes nothing",
        arguments: [
            (["export", "--output"], "none/r", 1, "there is no such folder"),
            (["export", "--output"], "disk", 1, "is a folder"),
            (["export", "--output"], "accounts.jsonl", 64, "is the input: choose another file"),
            (["export", "--output"], "link", 64, "is the input: choose another file"),
            (["export", "--output"], "diary", 64, "add --resume"),
            (["export", "--resume", "--output"], "diary", 64, "choose another file"),
            (["export", "--resume", "--output"], "link", 64, "is the input: choose another file"),
            (["export", "--resume", "--output"], "a.db", 64, "choose another file"),
            (["export", "--output"], "a.db", 64, "is a SQLite database"),
            (["export", "--metrics"], "a.db", 64, "is a SQLite database"),
            (["export", "--metrics"], "none/m.prom", 1, "there is no such folder"),
            (["report", "--html"], "a.db", 64, "is a SQLite database"),
            (["report", "--html"], "none/page", 1, "none/page cannot be written: there is no such folder"),
            (["report", "--html"], "disk", 1, "it is a folder"),
            (["sync", "--database"], "none/a.db", 1, "there is no such folder"),
            (["sync", "--database"], "disk", 1, "is a folder"),
            (["sync", "--database"], "accounts.jsonl", 64, "is the input: choose another file"),
            (["sync", "--database"], "link", 64, "is the input: choose another file"),
            (["sync", "--database"], "diary", 1, "is not a SQLite database"),
        ] as [([String], String, Int32, String)])
    func refused(_ command: [String], _ name: String, _ status: Int32, _ words: String) async throws {
        let accounts = command[0] == "report" ? [] : [try accounts(1...2)]
        try folder.file("diary", holding: String(repeating: "This is a diary, and no line of it is data.\n", count: 9))
        try folder.file("a.db", holding: "SQLite format 3\0\u{10}")
        try folder.link("link", to: "accounts.jsonl")
        try folder.folder("disk")
        func everything() throws -> [[String]] {
            try FileManager.default.subpathsOfDirectory(atPath: folder.url.path).sorted().map { [$0, folder.text($0)] }
        }
        let before = try everything()
        let environment = accounts.isEmpty ? sandboxes.ownEnvironment : sandboxes.environment
        try await Tool.run(command + [folder.path(name)] + accounts, environment, exits: status, saying: words)
        #expect(sandboxes.server.requests.isEmpty)
        #expect(try everything() == before)
    }

    @Test("If --output is a link, the link's target is rewritten in place, and no planted link is followed")
    func namedLink() async throws {
        try folder.folder("disk")
        try folder.file("disk/results", holding: "")
        try folder.link("r.jsonl", to: "disk/results")
        try folder.file("victim", holding: "precious")
        for name in ["r.jsonl.tmp", "disk/results.tmp"] { try folder.link(name, to: folder.path("victim")) }
        sandboxes.server.script.next(2, respond: .empty(403))
        try await export([try accounts(1...4)] + output, exits: 2)
        try await export([try accounts(1...4), "--resume", "--retry", "all"] + output)
        #expect(folder.lines("disk/results").count == 4 && folder.text("victim") == "precious")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.path("r.jsonl")) == "disk/results")
        #expect(folder.mode("disk/results") == 0o600)
        #expect(
            try !FileManager.default.subpathsOfDirectory(atPath: folder.url.path).contains { $0.contains(".pledge-") })
    }

    @Test(
        "A file or link that another user has planted is neither written nor followed, and nothing is sent", .twoUsers,
        arguments: ["r.jsonl", "r.jsonl.run", "week.html", "metrics", "a.db", "a.db-claim"])
    func plantedByOthers(_ name: String) async throws {
        let accounts = try accounts(1...2)
        let results = ["export", accounts, "--output", folder.path("r.jsonl"), "--metrics", folder.path("metrics")]
        let command =
            switch name {
            case "week.html": ["report", "--html", folder.path(name)]
            case "a.db", "a.db-claim": ["sync", accounts, "--database", folder.path("a.db")]
            default: results
            }
        try folder.file("victim", holding: "precious")
        for isLink in [false, true] {
            let path = folder.path(name)
            if isLink { try folder.link(name, to: "victim") } else { try folder.file(name, holding: "") }
            try #require((isLink || chmod(path, 0o666) == 0) && lchown(path, 65_534, gid_t.max) == 0)
            try await Tool.run(
                command, sandboxes.environment, exits: 1, saying: isLink ? "symbolic link" : "belongs to another user")
            #expect(folder.text(name) == (isLink ? "precious" : ""))
            for left in try folder.names where !["accounts.jsonl", "victim"].contains(left) { try folder.remove(left) }
        }
        #expect(folder.text("victim") == "precious" && sandboxes.server.requests.isEmpty)
    }

    @Test("/dev/stdout can be the output file; if it leads to a file, the file keeps its earlier content")
    func namedOutput() async throws {
        let file = try folder.file("out", holding: "before\n")
        #expect(chmod(file.path, 0o644) == 0)
        for (arguments, environment) in [
            (["export", try accounts(1...2), "--output", "/dev/stdout"], sandboxes.environment),
            (["report", "--demo", "--html", "/dev/stdout"], [:]),
        ] {
            let output = try FileHandle(forWritingTo: file)
            try output.seekToEnd()
            try await ToolProcess(arguments, environment, output: output).end(0)
        }
        let lines = folder.lines("out")
        #expect(lines[0] == "before" && lines[1].hasPrefix("{\"service\"") && lines[3].hasPrefix("<!"))
    }

    #if os(Linux)
        @Test("Libraries beside the executable are not loaded")
        func plantedLibraries() async throws {
            let tool = folder.url.appendingPathComponent("pledge")
            // A separate process copies the tool. If this process did it, a child that another test starts at that
            // moment could inherit the open file, and the system refuses to run a file that is open for writing.
            try #require(Executable.run(["cp", Tool.executable.path, tool.path]).status == 0)
            for name in ["libsqlite3.so.0", "libcurl.so.4"] { try folder.file(name, holding: "no library") }
            try await ToolProcess(
                ["sync", try accounts(1...2), "--database", folder.path("a.db")],
                sandboxes.environment.adding(["PLEDGE_TRANSPORT": "curl"]), executable: tool
            ).end(0)
        }
    #endif
}
