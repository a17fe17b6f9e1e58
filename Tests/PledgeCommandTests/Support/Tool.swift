import Foundation
import Pledge
import PledgeTestSupport
import Testing

@testable import PledgeCommand

/// Runs `pledge` as a person would, but in this process. If the process itself matters, a test uses `ToolProcess`,
/// which starts the built executable.
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
        // The executable is beside the test bundle. On Linux, the bundle is the running program. On a Mac, the running
        // program is xctest.
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

    /// Counts a process that a test starts, and fails if there are too many. A process costs as much as many runs in
    /// this process.
    static func countStart() {
        let count = starts.next()
        #expect(count <= mostStarts, "Use ToolRun where no process is killed, limited, or without standard streams.")
    }

    /// Returns the given variables, and two of this process's variables that must also reach the tool: the options of
    /// the sanitizer, and the number of the mutation that is being tested.
    static func environment(_ given: [String: String]) -> [String: String] {
        let own = ProcessInfo.processInfo.environment.filter { ["ASAN_OPTIONS", "PLEDGE_MUTANT"].contains($0.key) }
        return given.merging(own) { given, _ in given }
    }

    /// Adds a long timeout, so that no outcome depends on how busy the machine is. If the test sets a timeout, or the
    /// command sends no requests, the arguments stay unchanged.
    static func patient(_ arguments: [String]) -> [String] {
        let name = Access.timeout.name
        guard let command = try? CommandTable.find(arguments.first ?? ""), !arguments.contains(name),
            command.options.contains(where: { $0.name == name }),
            command.name != "report" || !arguments.contains("--database")
        else { return arguments }
        // The timeout is shorter than the watchdog's, so that a run fails, and names its request, before the watchdog
        // ends all tests.
        return [command.name, name, "240"] + arguments.dropFirst()
    }

    /// A command, given as an array of words or as a line without quotation marks.
    protocol Command { var words: [String] { get } }

    /// Runs the tool in this process, and checks its exit code and some of its errors. Standard input is empty unless
    /// `input` is given.
    @discardableResult
    static func run(
        _ command: some Command, _ environment: [String: String] = [:], input: String? = nil, clock: Timekeeper = .noon,
        zone: TimeZone = .current, exits code: Int32 = 0, saying words: String...,
        at location: SourceLocation = #_sourceLocation
    ) async throws -> Outcome {
        let run = try ToolRun(command.words, environment, input: input, clock: clock, zone: zone)
        return await run.end(code, words, at: location)
    }
}

extension [String: String] {
    /// Returns the environment with other variables, which replace variables of the same name.
    func adding(_ others: Self) -> Self { merging(others) { $1 } }
}

extension String: Tool.Command {
    var words: [String] { split(separator: " ").map(String.init) }
}

extension [String]: Tool.Command {
    var words: [String] { self }
}

/// A run of the tool, in this process or in another process.
protocol RunningTool {
    var output: String { get }
    var errors: String { get }

    /// Waits for the end of the run, and returns the exit code.
    func end() async -> Int32
}

extension RunningTool {
    /// Waits for the end of the run, and checks the exit code and words on standard error.
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
