import Foundation
import PledgeCoding
import PledgeSandbox
import PledgeTestSupport
import Testing

@testable import PledgeCommand

@Suite("Hostile text from a service", .serialized)
struct HostileTextTests {
    private let services: BothSandboxes

    init() throws { services = try HostileServices.shared.get().sandboxes }

    /// Returns whether every output must escape or remove a character. The answer is based on Unicode's classes, not on
    /// the tool's own.
    private func steers(_ scalar: Unicode.Scalar) -> Bool {
        [.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
            || (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
    }

    private func isQuiet(_ output: String) -> Bool {
        !output.unicodeScalars.contains { !("a"..."z" ~= $0) && $0 != "\n" && steers($0) }
    }

    enum Service: String, CaseIterable {
        case exist, mydatahelps

        var report: [String] { self == .exist ? ["report"] : ["report", "--mydatahelps"] }

        /// Words of the sandbox's data from every part of a report. The tests look for these words in the output, in
        /// order to see that the output still has the fields that contain them.
        var words: [String] {
            switch self {
            case .exist: ["Lindqvist", "Activity", "Steps", "heart rate varies", "Time asleep"]
            case .mydatahelps: ["Lindqvist", "AppleHealth", "Steps", "Hur mår du?", "EnergyStep", "StepBand"]
            }
        }
    }

    private func report(_ service: Service, _ form: String...) async throws -> Tool.Outcome {
        let run = try await Tool.run(service.report + form, services.ownEnvironment)
        #expect(isQuiet(run.errors))
        return run
    }

    @Test(
        "In a terminal, hostile text keeps its words but no control characters, and its lines fit the width",
        arguments: Service.allCases)
    func text(service: Service) async throws {
        let environment = services.ownEnvironment.adding(["NO_COLOR": "1"])
        let output = try await ToolTerminal.run(service.report, environment).screen
        #expect(isQuiet(output))
        let joined = output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        // Labels are truncated at the end of their column, so only words of wrapped text are looked for.
        for word in service.words.prefix(1) + service.words.suffix(2) { #expect(joined.contains(word), "\(word)") }
        #expect(output.split(separator: "\n").allSatisfy { String($0).columns <= 80 })
    }

    @Test("CSV has no control characters in a terminal, but is unchanged in a pipe")
    func csv() async throws {
        var rows = 0
        for name in ["insights", "correlations", "surveys", "device-data", "accounts", "attributes"] {
            let shown = try await ToolTerminal.run([name, "--csv"], services.ownEnvironment).screen
            #expect(isQuiet(shown.replacing("\r\n", with: "\n")), "\(name)")
            let table = try #require(CSVText.rows(shown))
            #expect(table.count > 1 && table[0].count > 1)
            rows = table.count
        }
        let piped = try await Tool.run("attributes --csv", services.ownEnvironment).output
        #expect(!isQuiet(piped.replacing("\r\n", with: "\n")) && CSVText.rows(piped)?.count == rows)
    }

    @Test(
        "On an HTML page, hostile text is only text: it adds no element and no attribute",
        arguments: Service.allCases)
    func html(service: Service) async throws {
        let page = try await report(service, "--html", "-").output
        #expect(isQuiet(page))
        for word in service.words { #expect(page.contains(word), "\(word)") }
        let style = try #require(page.range(of: "(?s)<style>.*</style>", options: .regularExpression))
        let markup = page.replacingCharacters(in: style, with: "").replacingOccurrences(of: "<!doctype html>", with: "")
        let own = #/</?[a-z][a-z0-9]*( [a-zA-Z0-9-]+="[^"<>]*")*/?>/#
        let rest = markup.replacing(own, with: "")
        #expect(!rest.contains("<") && !rest.contains(">"))
        let names = Set(markup.matches(of: #/<[a-z][a-z0-9]*/#).map(\.output))
        #expect(names.isDisjoint(with: ["<script", "<iframe", "<img", "<object", "<a", "<form", "<base", "<link"]))
        let attributes = Set(markup.matches(of: own).flatMap { $0.0.matches(of: #/ [a-zA-Z-]+="/#).map(\.output) })
        #expect(!attributes.contains { $0.hasPrefix(" on") || $0.contains("href") || $0.contains("src") })
        #expect(markup.components(separatedBy: "&lt;script&gt;").count > 20)
    }

    @Test("In JSON, hostile text is kept exactly and is safe to print", arguments: Service.allCases)
    func json(service: Service) async throws {
        let run = try await report(service, "--json")
        #expect(isQuiet(run.output))
        let report: Report = try run.json()
        let labels = report.groups.flatMap { [$0.label] + $0.attributes.map(\.label) }
        let text = HostileServices.text
        #expect(labels.contains(text + "Steps") && labels.allSatisfy { $0.hasPrefix(text) })
        #expect(report.person.hasPrefix(text + "Maya") && report.insights.allSatisfy { $0.text.hasPrefix(text) })
        #expect(report.lists.flatMap(\.entries).allSatisfy { $0.text.contains(text) })
    }

    @Test("In an export, each account is one line of JSON that keeps hostile text unchanged")
    func export() async throws {
        let services = try HostileServices(isWild: true).sandboxes
        let folder = try TemporaryFolder()
        // The text is cut, because an account's name has a maximum length.
        let name = String(HostileServices.text.unicodeScalars.prefix(300)) + "account"
        let tokens = [services.exist.token, services.participants.token]
        let input = try zip(["exist", "mydatahelps"], tokens).map { service, token in
            let line = ["service": service, "account": name, "token": token]
            return String(decoding: try JSONSerialization.data(withJSONObject: line), as: UTF8.self) + "\n"
        }.joined()
        let path = folder.path("r.jsonl")
        let arguments = ["export", "--output", path, "--resume"]
        // The second run has nothing to do, because it finds both accounts in the results.
        for _ in 0..<2 { #expect(isQuiet(try await Tool.run(arguments, services.environment, input: input).errors)) }
        let output = folder.text("r.jsonl")
        #expect(isQuiet(output))
        #expect(output.split(whereSeparator: \.isNewline).count == 2)
        let results = try folder.lines("r.jsonl").map { try ResultLine($0) }
        #expect(results.allSatisfy { $0.account == name && $0.errorKind == nil })
        let participant = try #require(results.first { $0.service == "mydatahelps" })
        let fields = (participant.json["participant"] as? [String: Any])?["custom_fields"] as? [String: String]
        #expect(fields?[streamSafe(HostileServices.text + "ARM")] == HostileServices.text + "B")
    }

    @Test("An error with hostile text takes one line on standard error and one line in the results")
    func refusals() async throws {
        let services = try BothSandboxes()
        let marks = String(repeating: "\u{301}\u{323}", count: 2_000)
        services.server.script.next(
            .max, respond: .json(["detail": .string(HostileServices.text + "e" + marks)], status: 403))
        for service in Service.allCases {
            let run = try await Tool.run(service.report, services.ownEnvironment, exits: 1, saying: "=cmd")
            #expect(isQuiet(run.errors) && run.errors.split(whereSeparator: \.isNewline).count == 1)
            // The message stays short although one of its characters has 4,000 combining marks.
            #expect(run.errors.unicodeScalars.count < 1200)
        }
        let run = try await Tool.run("export", services.environment, input: services.lines(1...2), exits: 2)
        #expect(isQuiet(run.output) && isQuiet(run.errors))
        #expect(try run.results.map(\.errorKind) == ["forbidden", "forbidden"])
        // A service can also refuse a single item of a write.
        services.server.script.reset()
        let refused: ServerJSON = ["name": "mood", "error_code": "no", "error": .string(HostileServices.text)]
        services.server.script.next(
            matching: "POST /api/2/attributes/update/",
            respond: .json(["success": [], "failed": [refused]], status: 202))
        #expect(isQuiet(try await Tool.run("set mood=3", services.ownEnvironment, exits: 1, saying: "=cmd").errors))
    }
}
