import Foundation
import Pledge
import PledgeTestSupport
import Testing

@testable import PledgeCommand

/// Runs `pledge`, as a person would: in this process, or the built one where the process itself matters.
enum Tool {
    struct Outcome {
        var status: Int32
        var output: String
        var errors: String

        /// What the tool printed as JSON.
        func json<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
            try JSONDecoder().decode(type, from: Data(output.utf8))
        }
    }

    static let executable: URL = {
        // Products are beside the test bundle: on Linux, that is the running program; on a Mac, the program is xctest.
        #if canImport(Darwin)
            let bundle = Bundle.allBundles.map(\.bundleURL).first { $0.pathExtension == "xctest" }
        #else
            // Foundation of Swift 6.0 cannot list the bundles.
            let bundle: URL? = nil
        #endif
        return (bundle ?? URL(fileURLWithPath: CommandLine.arguments[0]))
            .deletingLastPathComponent().appendingPathComponent("pledge")
    }()

    private static let starts = Counter()
    private static let mostStarts = max(40, Rounds.count(usual: 40))

    /// Counts the processes, of which the tests need few: each costs as much as many runs in this process.
    static func countStart() {
        let count = starts.next()
        #expect(count <= mostStarts, "Use ToolRun where no process is killed, limited, or without standard streams.")
    }

    /// Returns the given variables with the sanitizer's options and the number of a drawn mistake, which apply to the
    /// tool as well, and nothing else.
    static func environment(_ given: [String: String]) -> [String: String] {
        let own = ProcessInfo.processInfo.environment.filter { ["ASAN_OPTIONS", "PLEDGE_MUTANT"].contains($0.key) }
        return given.merging(own) { given, _ in given }
    }

    /// Adds a long timeout, so that no outcome depends on how busy the machine is, unless the test sets one or the
    /// command sends no requests.
    static func patient(_ arguments: [String]) -> [String] {
        let name = Access.timeout.name
        guard let command = try? CommandTable.find(arguments.first ?? ""), !arguments.contains(name),
            command.options.contains(where: { $0.name == name }),
            command.name != "report" || !arguments.contains("--database")
        else { return arguments }
        // Less than the watchdog's patience, so that a request without a response is named by its run.
        return [command.name, name, "240"] + arguments.dropFirst()
    }

    /// The words of a command, given as such or as a line without quotes.
    protocol Command { var words: [String] { get } }

    /// Runs the tool in this process, without input unless given, and checks its exit code and some of its errors.
    @discardableResult
    static func run(
        _ command: some Command, _ environment: [String: String] = [:], input: String? = nil, clock: Timekeeper = .live,
        zone: TimeZone = .current, exits code: Int32 = 0, saying words: String...,
        at location: SourceLocation = #_sourceLocation
    ) async throws -> Outcome {
        let run = try ToolRun(command.words, environment, input: input, clock: clock, zone: zone)
        return await run.end(code, words, at: location)
    }
}

extension [String: String] {
    /// Returns an environment with these variables as well, or instead.
    func adding(_ others: Self) -> Self { merging(others) { $1 } }
}

extension String: Tool.Command {
    var words: [String] { split(separator: " ").map(String.init) }
}

extension [String]: Tool.Command {
    var words: [String] { self }
}

/// A run of the tool, in this process or another one.
protocol RunningTool {
    var output: String { get }
    var errors: String { get }

    /// Waits for the end, and returns the exit code.
    func end() async -> Int32
}

extension RunningTool {
    /// Waits for the end, and checks the exit code and words on standard error.
    @discardableResult
    func end(
        _ code: Int32, saying words: String..., at location: SourceLocation = #_sourceLocation
    ) async -> Tool.Outcome {
        await end(code, words, at: location)
    }

    func end(_ code: Int32, _ words: [String], at location: SourceLocation) async -> Tool.Outcome {
        let outcome = Tool.Outcome(status: await end(), output: output, errors: errors)
        #expect(outcome.status == code, "\(outcome.errors)\(outcome.output.prefix(2_000))", sourceLocation: location)
        for word in words { #expect(outcome.errors.contains(word), "\(outcome.errors)", sourceLocation: location) }
        return outcome
    }
}
