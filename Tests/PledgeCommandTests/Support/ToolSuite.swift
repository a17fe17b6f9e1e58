import Foundation
import Pledge
import PledgeCoding
import PledgeSandbox
import PledgeTestSupport
import Testing

@testable import PledgeCommand

/// A suite in which each test has its own folder.
class FolderSuite {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }
}

/// A suite whose tests run the tool with both services.
class ToolSuite: FolderSuite {
    let sandboxes: BothSandboxes

    init(
        isEmpty: Bool = false, now: @escaping @Sendable () -> Date = { TestClock.noon }, zone: TimeZone = .current
    ) throws {
        sandboxes = try BothSandboxes(isEmpty: isEmpty, now: now, zone: zone)
        try super.init()
    }

    /// Runs the tool with an account of each service in the environment, and checks its exit code and some of its
    /// errors.
    @discardableResult
    func run(
        _ command: some Tool.Command, with environment: [String: String] = [:], clock: Timekeeper = .noon,
        zone: TimeZone = .current, exits code: Int32 = 0, saying words: String...,
        at location: SourceLocation = #_sourceLocation
    ) async throws -> Tool.Outcome {
        try await ToolRun(command.words, sandboxes.ownEnvironment.adding(environment), clock: clock, zone: zone)
            .end(code, words, at: location)
    }

    /// Lets the account of Exist use imperial units of weight and of liquid.
    func weighInPounds() {
        sandboxes.server.script.next(.max, matching: "GET /api/2/accounts/profile/") { _ in
            .json([
                "username": "maya", "timezone": .string(TimeZone.current.identifier),
                "local_time": .string(Timestamp.text(TestClock.noon)), "imperial_weight": true, "imperial_liquid": true,
            ])
        }
    }

    /// Writes a file with these lines, and returns its path.
    func accounts(_ lines: String) throws -> String { try folder.file("accounts.jsonl", holding: lines).path }

    func accounts(_ numbers: ClosedRange<Int>) throws -> String { try accounts(sandboxes.lines(numbers)) }

    /// The result lines that are in the output file so far.
    var results: [ResultLine] { get throws { try folder.lines("r.jsonl").map { try ResultLine($0) } } }

    /// Options for an output file, and for sections that take one request for each account.
    var output: [String] { ["--output", folder.path("r.jsonl"), "--sections", "profile,participant"] }

    /// Starts `pledge export` with a clock on which waits end at once.
    func start(
        _ arguments: [String], _ environment: [String: String] = [:], input: String? = nil,
        output: FileHandle? = nil, clock: Timekeeper = .jumping()
    ) throws -> ToolRun {
        try ToolRun(
            ["export"] + arguments, sandboxes.environment.adding(environment), input: input, output: output,
            clock: clock)
    }

    /// Runs `pledge export` with a clock on which waits end at once, and checks the exit code and some of the errors.
    @discardableResult
    func export(
        _ options: some Tool.Command, _ environment: [String: String] = [:], input: String? = nil,
        clock: Timekeeper = .jumping(), exits code: Int32 = 0, saying words: String...,
        at location: SourceLocation = #_sourceLocation
    ) async throws -> Tool.Outcome {
        try await start(options.words, environment, input: input, clock: clock).end(code, words, at: location)
    }
}

extension Tool.Outcome {
    /// The result lines that an export printed.
    var results: [ResultLine] { get throws { try output.split(separator: "\n").map { try ResultLine(String($0)) } } }
}

extension String {
    /// The members of the JSON object in the text, or an empty dictionary if the text isn't a JSON object.
    var json: [String: Any] { (try? JSONSerialization.jsonObject(with: Data(utf8))) as? [String: Any] ?? [:] }
}
