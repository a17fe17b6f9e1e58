import ExistKit
import Foundation
import PledgeSandbox
import PledgeTestSupport
import Testing

@testable import PledgeCommand

@Suite("Demo data", .serialized)
struct DemoTests {
    @Test(
        "If a token variable is empty or has quotation marks, a command fails and doesn't show demo data",
        arguments: ["report", "report --json", "attributes", "set mood=7", "status", "report --mydatahelps", "surveys"])
    func unusableToken(command: String) async throws {
        let isExist = !command.hasSuffix("--mydatahelps") && command != "surveys"
        let name = isExist ? "EXIST_TOKEN" : "MYDATAHELPS_TOKEN"
        for token in ["", " ", "\n\t", "\"abc\"", "'abc'", "Bearer a"] {
            let isEmpty = token.allSatisfy(\.isWhitespace)
            let run = try await Tool.run(
                command, [name: token], exits: 64,
                saying: isEmpty ? "\(name) is set, but empty" : "a space or a quotation mark")
            #expect(run.output.isEmpty && run.errors.split(separator: "\n").count == 1)
        }
    }

    @Test("EXIST_TOKEN_FILE names the token's file; if the file is unusable, the command fails and shows no demo data")
    func tokenFile() async throws {
        let (folder, sandbox) = (try TemporaryFolder(), try ExistSandbox.start(now: { TestClock.noon }))
        defer { sandbox.stop() }
        let variables = ["EXIST_BASE_URL": sandbox.baseURL.absoluteString]
        try folder.file("token", holding: sandbox.token + "\n")
        try folder.file("empty", holding: " ")
        for (file, more, words) in [
            ("token", [:], nil), ("none", [:], "EXIST_TOKEN_FILE is set, but the token's file"),
            ("empty", [:], "is empty"), ("token", ["EXIST_TOKEN": "other"], "are both set"),
        ] as [(String, [String: String], String?)] {
            let environment = variables.adding(["EXIST_TOKEN_FILE": folder.path(file)]).adding(more)
            let run = try await Tool.run("profile --json", environment, exits: words == nil ? 0 : 64)
            #expect(words.map(run.errors.contains) != false, "\(run.errors)")
        }
        let environment = variables.adding(["EXIST_TOKEN_FILE": ""])
        try await Tool.run("profile", environment, exits: 64, saying: "EXIST_TOKEN_FILE is set, but empty")
    }

    @Test("An environment variable whose name is almost one of the tool's is reported with the right name")
    func misspelled() async throws {
        let run = try await Tool.run(
            "report",
            [
                "EXIST_TOKN": "s3cr3t", "EXIST_OTHER_THING": "1", "EXIST_CLIENTID": "1", "EXIST_CLIENT_ID": "1",
                "MYDATAHELPS_BASEURL": "1",
            ])
        let long = "pledge: MYDATAHELPS_BASEURL has no meaning here. Did you mean “MYDATAHELPS_BASE_URL”?\n"
        #expect(run.errors.contains(long), "\(run.errors)")
        #expect(run.errors.onOneLine.contains("EXIST_TOKN has no meaning here. Did you mean “EXIST_TOKEN”?"))
        #expect(run.errors.onOneLine.contains("EXIST_CLIENTID has no meaning here. Did you mean “EXIST_CLIENT_ID”?"))
        #expect(!run.errors.contains("EXIST_CLIENT_ID has no"))
        #expect(!run.errors.contains("s3cr3t") && !run.errors.contains("EXIST_OTHER_THING"))
    }

    @Test("Demo data is labeled in every format, on standard error and once at the beginning of the output")
    func everyForm() async throws {
        let text = try await Tool.run("report")
        let json = try await Tool.run("report --json --demo")
        let page = try await Tool.run("report --html - --demo")
        try await Tool.run("set mood=9 --demo", saying: "Demo: nothing was kept.")
        for run in [text, json, page] {
            #expect(run.errors.hasPrefix("DEMO: an invented person's data. “pledge login” shows yours.\n"))
        }
        let labels = text.output.split(separator: "\n").map { $0.hasPrefix("DEMO: ") }
        #expect(labels[0] && labels.count { $0 } == 1 && json.output.contains("\"demo\" : true"))
        let parts = page.output.components(separatedBy: "<p class=\"demo\" role=\"note\">DEMO: ")
        #expect(parts.count == 2 && parts[0].hasSuffix("<header>\n"))
    }

    @Test(
        "The everyday commands mark every row of demo data in JSON lines, CSV, and tab-separated text",
        arguments: [
            "attributes", "insights", "averages", "correlations", "profile", "surveys", "device-data", "notifications",
            "accounts",
        ])
    func everyRow(command: String) async throws {
        let json = try await Tool.run([command, "--demo", "--jsonl"]).output.split(separator: "\n")
        #expect(!json.isEmpty && json.allSatisfy { $0.hasSuffix("\"demo\":true}") })
        let csv = try #require(CSVText.rows(try await Tool.run([command, "--demo", "--csv"]).output))
        #expect(csv[0].last == "demo" && csv.count > 1 && csv.dropFirst().allSatisfy { $0.last == "true" })
        let tabs = try await Tool.run([command, "--demo"]).output.split(separator: "\n").dropFirst()
        #expect(!tabs.isEmpty && tabs.allSatisfy { $0.hasSuffix("\ttrue") })
    }

    /// The names of the commands that can run with demo data. As an argument of `@Test`, this expression would crash the
    /// compiler of Swift 6.0.
    private static let names = CommandTable.all
        .filter { $0.options.contains { $0.name == Access.demo.name } }.map(\.name)

    /// The operands of the commands that can run with demo data but can't run without operands.
    private static let operands = [
        "set": ["mood=7"], "increment": ["steps=5"], "create": ["Late dinner"], "release": ["mood"], "sync": ["a.db"],
    ]

    @Test(
        "Without an account, only text reports and lists in a terminal show sample data; other output needs --demo",
        arguments: names)
    func onlyWhereSeen(name: String) async throws {
        let (command, folder) = (try CommandTable.find(name), try TemporaryFolder())
        let words = [name] + Self.operands[name, default: []].map { $0.hasSuffix(".db") ? folder.path($0) : $0 }
        let forms = [[], ["--plain"], ["--json"], ["--jsonl"], ["--csv"], ["--html", folder.path("a.html")]].filter {
            $0.isEmpty || command.options.map(\.name).contains($0[0])
        }
        for form in forms {
            let isText = form.isEmpty || form == ["--plain"]
            let isReport = name == "report" && isText
            let isList = isText && OptionTable.reading.contains(name) || isReport
            let piped = try await Tool.run(words + form, exits: isReport ? 0 : 64)
            let seen = try await ToolTerminal.run(words + form, exits: isList ? 0 : 64)
            #expect(isReport ? piped.output.hasPrefix("DEMO: ") : piped.output.isEmpty, "\(form) \(piped)")
            #expect(isList ? seen.screen.contains("DEMO: ") : !seen.screen.contains("DEMO"), "\(form) \(seen)")
            for refusal in (isReport ? [] : [piped.errors]) + (isList ? [] : [seen.screen.onOneLine]) {
                for way in ["There is no account", "sign in with “pledge login", "add --demo."] {
                    #expect(refusal.contains(way), "\(form): \(refusal)")
                }
            }
            #expect(try folder.names.isEmpty)
        }
        let asked = try ToolRun(words + ["--demo"])
        #expect(await asked.end() != 64 && asked.errors.contains("DEMO: an invented person's data."), "\(asked.errors)")
    }

    @Test("--demo ignores an account in the environment, and can't be combined with --profile")
    func chosen() async throws {
        let sandbox = try ExistSandbox.start(now: { TestClock.noon })
        defer { sandbox.stop() }
        for environment in [sandbox.environment, sandbox.environment.adding(["EXIST_TOKEN": ""])] {
            #expect(try await Tool.run("profile --demo", environment).output.contains("the built-in sandbox"))
        }
        #expect(sandbox.server.requests.isEmpty)
        try await Tool.run("profile --demo --profile work", exits: 64, saying: "--demo sample data: omit one.")
        // The former option --no-demo asked for the opposite of --demo, so --demo must not be suggested for it.
        let old = try await Tool.run("report --no-demo", exits: 64, saying: "has no option “--no-demo”.")
        #expect(!old.errors.contains("Did you mean"))
    }

    @Test("The README's first sample and the pictures of a terminal have the headings that the demo prints")
    func readme() async throws {
        /// Returns the headings without the names of days, which depend on today's date.
        func headings(_ text: String) -> [[Substring]] {
            text.split(separator: "\n").filter { !$0.hasPrefix(" ") }.map { line in
                line.split(separator: " ").filter { word in
                    !(word.count == 7 && word.allSatisfy { "MTWFS".contains($0) })
                        && !ExistDay.Weekday.allCases.contains { $0.rawValue.capitalized.prefix(3) == word }
                }
            }
        }
        let readme = try Repository.text("README.md")
        let screen = readme.split(separator: "\n", omittingEmptySubsequences: false).prefix(20).joined(separator: "\n")
        let sample = try #require(screen.components(separatedBy: "```\n").dropFirst().first)
        let pictures = try ["terminal", "terminal~dark"].map { name in
            try Repository.text("Sources/PledgeCommand/PledgeCommand.docc/Resources/\(name).svg")
                .components(separatedBy: "</text>").map { $0.components(separatedBy: "preserve\">").last ?? "" }
                .filter { $0.contains("Usual") }.joined(separator: "\n")
        }
        let printed = headings(try await Tool.run("report").output)
        for text in [sample] + pictures {
            #expect(headings(text).count >= 3 && headings(sample).count == 3)
            for heading in headings(text) { #expect(printed.contains(heading), "\(heading)") }
        }
    }

    @Test("An account's own data is never labeled as a demo, in any format")
    func real() async throws {
        let sandbox = try ExistSandbox.start(now: { TestClock.noon })
        defer { sandbox.stop() }
        for command in ["report", "report --html -", "attributes", "attributes --json"] {
            let run = try await Tool.run(command, sandbox.environment)
            #expect(!run.output.contains("class=\"demo\"") && !run.output.contains("DEMO"))
            #expect(!run.output.contains("\"demo\"") && !run.errors.contains("demo"))
        }
        #expect(try await Tool.run("report --json", sandbox.environment).output.contains("\"demo\" : false"))
    }
}
