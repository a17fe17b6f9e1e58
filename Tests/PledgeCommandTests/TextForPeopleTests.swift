import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeCommand

@Suite("Text for people", .serialized)
final class TextForPeopleTests: ToolSuite {
    private func lines(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }

    @Test(
        "In a pipe, text is 80 columns wide, or as wide as COLUMNS says",
        arguments: [([:], 80), (["COLUMNS": "60"], 60)])
    func width(columns: [String: String], width: Int) async throws {
        for arguments in [["report"], ["help", "export"]] {
            let all = lines(try await run(arguments, with: columns).output)
            let longest = all.filter { !$0.hasPrefix("  pledge ") && !$0.contains("{\"") }.map(\.columns).max() ?? 0
            #expect(longest <= width && longest > width - 16, "\(longest)")
            let isWhole = all.contains { $0.contains("Usual ") && $0.hasSuffix("Mean  Before") }
            #expect(isWhole == (width == 80 && arguments == ["report"]))
        }
    }

    @Test("COLUMNS may be 20 to 1,000; a terminal's own width is limited to 20 to 120; questions go to standard error")
    func terminal() throws {
        for (columns, width) in [("19", 80), ("20", 20), ("1000", 1000), ("1001", 80), ("wide", 80)] {
            #expect(Terminal(environment: ["COLUMNS": columns], output: -1).width == width)
        }
        for (columns, width) in [(0, 30), (1, 20), (20, 20), (21, 21), (120, 120), (121, 120)] {
            let errors = try FileHandle(forWritingTo: folder.file("errors", holding: ""))
            let (controller, end) = try ToolTerminal.open(width: columns)
            let environment = ["COLUMNS": "30"]
            let terminal = Terminal(environment: environment, input: end, output: end, errors: errors.fileDescriptor)
            #expect(terminal.width == width)
            write(controller, "maya\n", 5)
            #expect(try terminal.ask("Name", foundAt: "Here.", isShown: true) == "maya")
            #expect(folder.text("errors") == "Here.\nName: ")
            for end in [controller, end] { close(end) }
        }
    }

    @Test("With LC_ALL=C, text is ASCII with the same columns, and JSON is unchanged")
    func ascii() async throws {
        let (day, ascii) = ("report --through 2026-10-04", ["LC_ALL": "C"])
        let plain = try await run(day, with: ascii)
        for run in [
            plain, try await run("report --plain", with: ascii), try await run("attributes --plain", with: ascii),
            try await run("report --week x", with: ascii, exits: 64),
        ] {
            #expect((run.output + run.errors).utf8.allSatisfy { $0 < 0x80 }, "\(run.output)")
            #expect(lines(run.output).allSatisfy { $0.count <= 80 })
        }
        #expect(try await run(day + " --json", with: ascii).output == run(day + " --json").output)
        let wide = lines(try await run(day).output).filter { !$0.contains("…") }
        #expect(wide.map(\.columns) == lines(plain.output).map(\.count))
    }

    @Test("--plain prints a table without columns, in a terminal and in a pipe")
    func plain() async throws {
        let pipe = try await run("profile --plain")
        #expect(lines(pipe.output).prefix(2) == ["Field: username", "Value: maya"])
        let terminal = try await ToolTerminal.run("profile --plain", sandboxes.ownEnvironment, width: 100)
        #expect(terminal.screen == pipe.output)
    }

    @Test(
        "--verbose reports each request and its response on standard error, but no secret",
        arguments: [["report"], ["attributes"], ["status"], ["sync"], ["export"]])
    func verbose(arguments: [String]) async throws {
        var words = arguments + ["--verbose"]
        if arguments == ["sync"] { words.append(folder.path("a.db")) }
        if arguments == ["export"] { words += ["--quiet", try accounts(1...2)] }
        // The first response is a fault, and the second response is lost. After each, the tool sends the request again.
        let faults = Counter()
        sandboxes.server.script.next(2) { _ in faults.next() == 1 ? .empty(503) : .drop }
        let run = try await run(words, clock: .jumping())
        let sent = lines(run.errors).filter { $0.hasPrefix("> ") }
        let received = lines(run.errors).filter { $0.hasPrefix("< ") }
        let count = sandboxes.server.requests.count
        #expect(sent.count == count && received.count == count && count > 1, "\(run.errors)")
        #expect(sent[0].hasPrefix("> GET http://127.0.0.1:") && sent[0].hasSuffix(", attempt 1"))
        #expect(received.count { $0.hasPrefix("< 503 from GET http") } == 1)
        #expect(received.count { $0.contains(#/^< no response from GET http.*: .*, \d+ ms, attempt \d$/#) } == 1)
        #expect(sent.count { $0.hasSuffix(", attempt 2") } + sent.count { $0.hasSuffix(", attempt 3") } == 2)
        let form = #"^< 200 from GET http://127\.0\.0\.1:\d+/\S+, \d+ bytes in \d+ ms, attempt \d$"#
        #expect(received.count { $0.range(of: form, options: .regularExpression) != nil } == count - 2, "\(received)")
        #expect(!(run.errors + run.output).contains(sandboxes.exist.token) && !run.errors.contains("secret-"))
    }

    @Test("If the reader of the tool's output closes the pipe, the tool ends silently")
    func closedPipe() async throws {
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        let run = try ToolProcess(["help"], output: pipe.fileHandleForWriting)
        try pipe.fileHandleForWriting.close()
        #expect(await run.end(141).errors.isEmpty)
    }

    @Test("In a terminal, the demo is announced once, and notices are wrapped to the terminal's width")
    func demo() async throws {
        for arguments in [["report"], ["attributes"], ["surveys"], ["report", "--plain"]] {
            let run = try await ToolTerminal.run(arguments, width: 60)
            #expect(run.screen.components(separatedBy: "an invented person").count == 2, "\(run.screen.prefix(400))")
        }
        let json = try await ToolTerminal.run("profile --json --demo", width: 60)
        #expect(json.screen.hasPrefix("DEMO: "))
        #expect(lines(json.screen).prefix { !$0.hasPrefix("[") }.allSatisfy { $0.columns <= 60 })
        // The error that ends the tool stays one line in a pipe.
        let pipe = lines(try await Tool.run("sync \(folder.path("gone"))/a.jsonl", exits: 64).errors).map(\.columns)
        #expect(pipe.count == 1 && pipe[0] > 80, "\(pipe)")
        #expect(try await lines(Tool.run("profile --json", exits: 64).errors).count == 1)
    }
}
