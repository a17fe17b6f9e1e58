import Foundation
import PledgeSandbox
import PledgeTestSupport
import Testing

@testable import PledgeCommand

@Suite("Text for people", .serialized)
final class TextForPeopleTests: ToolSuite {
    private var environment: [String: String] { sandboxes.ownEnvironment.adding(["NO_COLOR": "1"]) }

    private func lines(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }

    @Test(
        "In a pipe, the width is 80, or COLUMNS",
        arguments: [(nil as String?, 80), ("60", 60), ("wide", 80), ("5", 80)])
    func width(columns: String?, width: Int) async throws {
        for arguments in [["report"], ["help", "export"]] {
            let run = try await Tool.run(arguments, columns.map { environment.adding(["COLUMNS": $0]) } ?? environment)
            let longest =
                lines(run.output).filter { !$0.hasPrefix("  pledge ") && !$0.contains("{\"") }.map(\.columns).max() ?? 0
            #expect(longest <= width && longest > width - 16, "\(longest)")
        }
        let report = try await run("report")
        #expect(lines(report.output).contains { $0.contains("Usual ") && $0.hasSuffix("Mean  Before") })
    }

    @Test("COLUMNS is from 20 to 1,000", arguments: [("19", 80), ("20", 20), ("1000", 1000), ("1001", 80)])
    func limits(columns: String, width: Int) {
        var terminal = Terminal(environment: ["COLUMNS": columns])
        terminal.output = -1
        #expect(terminal.width == width)
    }

    @Test("With LC_ALL=C or TERM=dumb, it is ASCII, and JSON is unchanged")
    func ascii() async throws {
        let day = ["report", "--through", "2026-10-04"]
        for setting in [["LC_ALL": "C"], ["TERM": "dumb"]] {
            let plain = environment.adding(setting)
            for arguments in [
                day, ["help"], ["help", "set"], ["report", "--plain"], ["attributes", "--plain"],
                ["report", "--week", "x"],
            ] {
                let run = try await Tool.run(arguments, plain, exits: arguments.last == "x" ? 64 : 0)
                #expect((run.output + run.errors).utf8.allSatisfy { $0 < 0x80 }, "\(arguments): \(run.output)")
                #expect(lines(run.output).filter { !$0.hasPrefix("  pledge ") }.allSatisfy { $0.count <= 80 })
            }
            let json = try await Tool.run(day + ["--json"], plain)
            #expect(try await json.output == run(day + ["--json"]).output)
        }
        // The columns are the same.
        let (wide, plain) = (try await run(day).output, try await run(day, with: ["LC_ALL": "C"]).output)
        #expect(lines(wide).filter { !$0.contains("…") }.map(\.columns) == lines(plain).map(\.count))
    }

    @Test("--plain prints a table without columns, on a terminal and in a pipe")
    func plain() async throws {
        let pipe = try await run("profile --plain")
        #expect(lines(pipe.output).prefix(2) == ["Field: username", "Value: maya"])
        let terminal = try await ToolTerminal.run("profile --plain", environment, width: 100)
        #expect(terminal.screen == pipe.output)
    }

    @Test(
        "--verbose reports each request and its response on standard error, and no secret",
        arguments: [
            ["report"], ["attributes"], ["status"], ["sync"], ["export"],
        ])
    func verbose(arguments: [String]) async throws {
        var words = arguments + ["--verbose"]
        if arguments == ["sync"] { words.append(folder.path("a.db")) }
        if arguments == ["export"] { words.append(try accounts(1...2)) }
        // The first response is a fault, after which the request is sent again.
        sandboxes.server.script.next(1) { _ in .empty(503) }
        let run = try await run(words, clock: .jumping())
        let (sent, received) = (
            lines(run.errors).filter { $0.hasPrefix("> ") }, lines(run.errors).filter { $0.hasPrefix("< ") }
        )
        let count = sandboxes.server.requests.count
        #expect(sent.count == count && received.count == count && count > 1, "\(run.errors)")
        #expect(sent[0].hasPrefix("> GET http://127.0.0.1:") && sent[0].hasSuffix(", attempt 1"))
        #expect(
            received.count { $0.hasPrefix("< 503 from GET http") } == 1
                && sent.count { $0.hasSuffix(", attempt 2") } == 1)
        let form = #"^< 200 from GET http://127\.0\.0\.1:\d+/\S+, \d+ bytes in \d+ ms, attempt \d$"#
        #expect(received.count { $0.range(of: form, options: .regularExpression) != nil } == count - 1, "\(received)")
        #expect(!(run.errors + run.output).contains(sandboxes.exist.token) && !run.errors.contains("secret-"))
    }

    @Test("A reader that wants no more of the output ends the tool without a word")
    func closedPipe() async throws {
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        let run = try ToolProcess(["help"], output: pipe.fileHandleForWriting)
        try pipe.fileHandleForWriting.close()
        #expect(await run.end(141).errors.isEmpty)
    }

    @Test("On a terminal, the demo is announced once, and notices are wrapped to its width")
    func demo() async throws {
        for arguments in [["report"], ["attributes"], ["surveys"], ["report", "--plain"]] {
            let run = try await ToolTerminal.run(arguments, width: 60)
            #expect(run.screen.components(separatedBy: "an invented person").count == 2, "\(run.screen.prefix(400))")
        }
        let json = try await ToolTerminal.run("profile --json", width: 60)
        #expect(json.screen.hasPrefix("DEMO: "))
        #expect(lines(json.screen).prefix { !$0.hasPrefix("[") }.allSatisfy { $0.columns <= 60 })
        // The error that ends the tool stays one line in a pipe.
        let pipe = lines(try await Tool.run("sync \(folder.path("gone"))/a.jsonl", exits: 64).errors).map(\.columns)
        #expect(pipe.count == 1 && pipe[0] > 80, "\(pipe)")
        #expect(try await lines(Tool.run("profile --json --no-demo", exits: 64).errors).count == 1)
    }

    @Test("Device data has units and grouped digits, as a report has")
    func units() async throws {
        let run = try await ToolTerminal.run("device-data --days 2", environment, width: 100)
        #expect(run.screen.range(of: #"Steps +\d?\d,\d\d\d\n"#, options: .regularExpression) != nil, "\(run.screen)")
        #expect(run.screen.contains(" bpm\n"))
    }

    @Test("-V prints the version, as --version does")
    func version() async throws {
        #expect(try await Tool.run("-V").output == Tool.run("--version").output)
    }
}
