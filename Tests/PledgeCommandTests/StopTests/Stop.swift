import Foundation
import PledgeTestSupport

@testable import PledgeCommand

/// Where a process that changes files in a folder is stopped, or what fails there.
struct Stop: CustomStringConvertible {
    enum Way: String, CaseIterable { case kill, torn, ENOSPC, EIO }

    /// The number of the step, from 1; 0 for none.
    var step: Int
    var way: Way

    var description: String { "\(way) at step \(step)" }

    /// The library that counts the steps and stops the process; nil where there is none.
    static let library: String? = {
        #if os(Linux)
            guard !SmallStack.isSanitized, let folder else { return nil }
            let source = Repository.file("Tests/PledgeCommandTests/Stop/stop.c").path
            let words = ["clang", "-shared", "-fPIC", "-Wall", "-Werror", "-o", folder.path("stop.so"), source]
            return (try? Executable.run(words))?.status == 0 ? folder.path("stop.so") : nil
        #else
            return nil
        #endif
    }()

    private static let folder = try? TemporaryFolder()

    /// The variables with which a process is stopped. A line for each step goes to the log.
    func environment(in folder: String, log: String? = nil) -> [String: String] {
        [
            "LD_PRELOAD": Self.library, "STOP_FOLDER": folder, "STOP_AT": "\(step)", "STOP_HOW": way.rawValue,
            "STOP_LOG": log,
        ].compactMapValues(\.self)
    }

    /// Each way at one of the steps; at all of them in a long run.
    static func sample(_ steps: Int, using random: inout some RandomNumberGenerator) -> [Stop] {
        if Rounds.isLong { return (1...steps).flatMap { step in Way.allCases.map { Stop(step: step, way: $0) } } }
        return Way.allCases.map { Stop(step: Int.random(in: 1...steps, using: &random), way: $0) }
    }
}
