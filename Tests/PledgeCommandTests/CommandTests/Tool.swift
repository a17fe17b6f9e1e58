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

    /// Returns the given variables with the sanitizer's options, which apply to the tool as well, and nothing else.
    static func environment(_ given: [String: String]) -> [String: String] {
        let sanitizer = ProcessInfo.processInfo.environment["ASAN_OPTIONS"]
        return given.merging(sanitizer.map { ["ASAN_OPTIONS": $0] } ?? [:]) { given, _ in given }
    }

    /// Adds a long timeout, so that no outcome depends on how busy the machine is, unless the test sets one or the
    /// command sends no requests.
    static func patient(_ arguments: [String]) -> [String] {
        let name = Access.timeout.name
        guard let command = try? CommandTable.find(arguments.first ?? ""), !arguments.contains(name),
            command.options.contains(where: { $0.name == name }),
            command.name != "report" || !arguments.contains("--database")
        else { return arguments }
        return [command.name, name, "600"] + arguments.dropFirst()
    }

    /// Runs the tool in this process, without input.
    static func run(
        _ arguments: [String], _ environment: [String: String] = [:], clock: Timekeeper = .live,
        zone: TimeZone = .current
    ) async throws -> Outcome {
        let run = try ToolRun(arguments, environment, clock: clock, zone: zone)
        return Outcome(status: await run.end(), output: run.output, errors: run.errors)
    }

    /// Runs the built tool in a process, perhaps with a limit that a shell's `ulimit` sets.
    static func launch(
        _ arguments: [String], _ environment: [String: String], limit: String? = nil
    ) async throws -> Outcome {
        let shell = limit.map { ["-c", "ulimit \($0); exec \"$0\" \"$@\"", executable.path] }
        let run = try ToolProcess(
            (shell ?? []) + patient(arguments), environment,
            executable: shell == nil ? executable : URL(fileURLWithPath: "/bin/sh"))
        return Outcome(status: await run.end(), output: run.output, errors: run.errors)
    }
}
