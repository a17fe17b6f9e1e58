import Foundation
import Testing

/// Where a process that changes files in a folder is stopped, or what fails there.
package struct Stop: CustomStringConvertible, Sendable {
    package enum Way: String, CaseIterable, Sendable { case kill, half, ENOSPC, EIO }

    /// The number of the step, from 1; 0 for none.
    package var step: Int
    package var way: Way

    package init(step: Int, way: Way) { (self.step, self.way) = (step, way) }

    package var description: String { "\(way) at step \(step)" }

    /// The library that counts the steps and stops the process; nil where there is none.
    package static let library: String? = {
        #if os(Linux)
            // A process that is stopped has it already.
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

    /// The variables with which a process is stopped. A line for each step goes to the log.
    package func environment(in folder: String, log: String? = nil) -> [String: String] {
        [
            "LD_PRELOAD": Self.library, "STOP_FOLDER": folder, "STOP_AT": "\(step)", "STOP_HOW": way.rawValue,
            "STOP_LOG": log,
        ].compactMapValues(\.self)
    }

    /// Each way at one of the steps; at all of them in a long run.
    package static func sample(_ steps: Int, using random: inout some RandomNumberGenerator) -> [Stop] {
        if Rounds.isLong { return (1...steps).flatMap { step in Way.allCases.map { Stop(step: step, way: $0) } } }
        return Way.allCases.map { Stop(step: Int.random(in: 1...steps, using: &random), way: $0) }
    }
}

extension Trait where Self == ConditionTrait {
    /// A process that can be stopped at a step.
    package static var stops: Self {
        .enabled(if: Stop.library != nil, "only on Linux, with clang and without a sanitizer")
    }
}
