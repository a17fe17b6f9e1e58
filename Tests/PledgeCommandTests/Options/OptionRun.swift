import ExistKit
import Foundation
import PledgeSandbox
import PledgeTestSupport

@testable import PledgeCommand

/// A run of the tool in a situation. Its outcome is everything that a person or a service can see of the run.
struct OptionRun {
    struct Outcome: Equatable, CustomStringConvertible {
        var status: Int32
        var output: [String]
        var errors: [String]
        var requests: [String]
        var files: [String: [String]]

        /// Whether the command line was refused because of this option.
        func refuses(_ option: String) -> Bool {
            status == 64 && requests.isEmpty && errors.contains { $0.hasPrefix("pledge: \(option) ") }
        }

        var description: String { "exit \(status), \(errors.prefix(9)), \(output.prefix(9)), \(requests.prefix(9))" }
    }

    /// The services for the runs of a command: `full` has a year of data, and `small` has little data, for runs that
    /// read all data.
    struct Services: Sendable {
        let (full, small): (BothSandboxes, BothSandboxes)

        init() throws {
            (full, small) = (try BothSandboxes(), try BothSandboxes(isEmpty: true))
            small.exist.addAttribute("steps")
            let today = ExistDay(TestClock.noon, in: .gmt)
            for days in 0..<40 { small.exist.setValue(.integer(days), of: "steps", on: "\(today.advanced(by: -days))") }
        }
    }

    private let situation: Situation
    private let words: [String]
    private let preparation: Preparation
    private let folder: TemporaryFolder
    private let sandboxes: BothSandboxes

    init(
        _ situation: Situation, _ words: [String], _ preparation: Preparation = .none, of services: Services
    ) throws {
        (self.situation, self.words, self.preparation) = (situation, words, preparation)
        folder = try TemporaryFolder()
        let readsAll = ["sync", "export", "login"].contains(situation.words[0]) || words.contains("--database")
        sandboxes = situation.writes ? try BothSandboxes() : readsAll ? services.small : services.full
        sandboxes.participants.rateLimit = 100_000
        sandboxes.exist.addToken("other-token", username: "another")
    }

    private var environment: [String: String] {
        var environment = ["XDG_CONFIG_HOME": folder.path("config"), "PATH": "/usr/bin:/bin"]
        switch situation.account {
        case .environment: environment.merge(sandboxes.ownEnvironment) { $1 }
        case .profile: break
        case .none
        where ["export", "login"].contains(situation.words[0]) || situation.words.contains("@/accounts.jsonl"):
            environment.merge(sandboxes.environment) { $1 }
        case .none: break
        }
        if situation.name == "browser" || words.contains("--client-id") {
            environment["EXIST_CLIENT_SECRET"] = sandboxes.exist.clientSecret
            environment["BROWSER"] = folder.path("browser")
        }
        return environment
    }

    private func storeProfiles() throws {
        let (exist, participants) = (sandboxes.exist, sandboxes.participants)
        let store = ProfileStore(environment)
        for (name, token) in [("default", exist.token), ("other", "other-token")] {
            try store?.update(name) { profile in
                profile.exist = ExistCredential(
                    address: sandboxes.server.baseURL, username: name, kind: .bearer,
                    token: ExistToken(accessToken: token))
                profile.mydatahelps = ParticipantCredential(
                    address: sandboxes.server.baseURL, participant: participants.participantIdentifier,
                    token: name == "default" ? participants.token : token)
            }
        }
    }

    private func tool(_ words: [String], _ environment: [String: String]? = nil) async throws -> Tool.Outcome {
        let input = situation.isPipe ? folder.text("accounts.jsonl") : input
        let line = words.map {
            $0.replacingOccurrences(of: "@/", with: folder.url.path + "/")
                .replacingOccurrences(of: "%", with: sandboxes.exist.clientID)
        }
        let run = try ToolRun(line, environment ?? self.environment, input: input, clock: .jumping())
        return Tool.Outcome(status: await run.end(), output: run.output, errors: run.errors)
    }

    /// The token that a person pastes at `pledge login`, or nil for other commands.
    private var input: String? {
        guard situation.words[0] == "login" else { return nil }
        let isMyDataHelps = (situation.words + words).contains("--mydatahelps")
        return (isMyDataHelps ? sandboxes.participants.token : sandboxes.exist.token) + "\n"
    }

    private func prepare() async throws {
        sandboxes.server.script.reset()
        if situation.account == .profile { try storeProfiles() }
        try folder.file("accounts.jsonl", holding: preparation == .empty ? "\n" : sandboxes.lines(1...3))
        if environment["BROWSER"] != nil { _ = try folder.program("browser", #"exec curl -sL "$1" > /dev/null"#) }
        if preparation == .database || situation.name == "database" {
            _ = try await tool(["sync", "@/own.db"], sandboxes.ownEnvironment)
        }
        if preparation == .earlierRun { _ = try await tool(situation.words + words.filter { $0 != "--resume" }) }
        sandboxes.server.resetRequests()
        let script = sandboxes.server.script
        switch preparation {
        case .slow: script.next(.max, respond: ServerResponse.json([:]).delayed(by: 1))
        case .forbidden: script.next(.max, matching: "/api/2/insights/", respond: .json([:], status: 403))
        case .refuses: script.next(.max, respond: .json([:], status: 403))
        case .none, .earlierRun, .database, .empty: break
        }
    }

    func run() async throws -> Outcome {
        try await prepare()
        let outcome = try await tool(situation.words + words)
        let requests = sandboxes.server.requests.map { request in
            // Times of day are removed, because they differ from run to run. Days don't differ, so they stay.
            "\(request.method) \(request.target) \(request.headers["Authorization"] ?? "") "
                .replacingOccurrences(of: "T[0-9:.%A]+Z?", with: "T", options: .regularExpression)
                + String(decoding: request.body, as: UTF8.self)
        }
        sandboxes.server.script.reset()
        var files: [String: [String]] = [:]
        let names = FileManager.default.subpaths(atPath: folder.url.path) ?? []
        for name in names where !["a.db", "own.db"].contains(where: name.hasPrefix) {
            files[name] = Self.lines(folder.text(name))
        }
        return Outcome(
            status: outcome.status, output: Self.lines(outcome.output), errors: Self.lines(outcome.errors),
            requests: requests.sorted(), files: files)
    }

    /// Returns the lines in a form that is the same in every run: the lines are sorted, and all numbers except days are
    /// replaced by 0.
    private static func lines(_ text: String) -> [String] {
        var text = text
        for day in text.ranges(of: /[0-9]{4}-[0-9]{2}-[0-9]{2}/).reversed() {
            let letters = text[day].utf8.map { $0 == UInt8(ascii: "-") ? $0 : $0 + 49 }
            text.replaceSubrange(day, with: String(decoding: letters, as: UTF8.self))
        }
        return text.replacingOccurrences(of: "[0-9]+([.,:][0-9]+)*", with: "0", options: .regularExpression)
            .split(separator: "\n").map(String.init).sorted()
    }
}
