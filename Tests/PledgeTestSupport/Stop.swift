import Foundation
import Testing

/// Where and how a test stops a process that changes files in a folder. At the given step, which is a system call, either the
/// process is killed or the call fails.
package struct Stop: CustomStringConvertible, Sendable {
    package enum Way: String, CaseIterable, Sendable { case kill, half, ENOSPC, EIO }

    /// The number of the step, counted from 1, or 0 for no step.
    package var step: Int
    package var way: Way

    package init(step: Int, way: Way) { (self.step, self.way) = (step, way) }

    package var description: String { "\(way) at step \(step)" }

    /// The path of the library that counts the steps and stops the process, or nil if the library can't be used here.
    package static let library: String? = {
        #if os(Linux)
            // If this process is itself one that a test stops, it has already loaded the library.
            if let given = ProcessInfo.processInfo.environment["LD_PRELOAD"] { return given }
            guard !SmallStack.isSanitized, let folder else { return nil }
            let source = Repository.file("Tests/PledgeTestSupport/stop.c").path
            let words = ["clang", "-shared", "-fPIC", "-Wall", "-Werror", "-o", folder.path("stop.so"), source]
            return (try? Executable.run(words))?.status == 0 ? folder.path("stop.so") : nil
        #else
            return nil
        #endif
    }()

    private static let folder = try? TemporaryFolder()

    /// Returns the environment variables that make a process stop at this point, write a line for each step to the log, and
    /// begin at the given date.
    package func environment(in folder: String, log: String? = nil, now: Date = Date()) -> [String: String] {
        [
            "LD_PRELOAD": Self.library, "STOP_FOLDER": folder, "STOP_AT": "\(step)", "STOP_HOW": way.rawValue,
            "STOP_LOG": log, "STOP_AHEAD": "\(Int(now.timeIntervalSinceNow))",
        ].compactMapValues(\.self)
    }

    /// Returns a stop at a random step for each way of stopping. In a long run, returns a stop at every step for each way.
    package static func sample(_ steps: Int, using random: inout some RandomNumberGenerator) -> [Stop] {
        if Rounds.isLong { return (1...steps).flatMap { step in Way.allCases.map { Stop(step: step, way: $0) } } }
        return Way.allCases.map { Stop(step: Int.random(in: 1...steps, using: &random), way: $0) }
    }
}

extension Trait where Self == ConditionTrait {
    /// Processes can be stopped at a step.
    package static var stops: Self {
        .enabled(if: Stop.library != nil, "only on Linux, with clang and without a sanitizer")
    }
}
