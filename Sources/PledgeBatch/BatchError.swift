import Foundation
import PledgeCoding

/// Why a batch does not run, or why an item of it failed.
public enum BatchError: LocalizedError, Sendable, Equatable, CustomStringConvertible {
    /// The batch was run before, so that its items may be used up.
    case alreadyRun
    /// Two tasks wait for the results at once.
    case severalConsumers
    /// The work of an item took longer than ``BatchRules/longestWork``, in seconds.
    case timedOut(seconds: Double)

    public var errorDescription: String? { description }

    /// What is wrong, and what to do.
    public var description: String {
        switch self {
        case .alreadyRun:
            "This batch was run before: create a new one for each run, and read its results in one loop."
        case .severalConsumers:
            "Two tasks wait for the results of one batch: read them in one task, and hand them on from there."
        case .timedOut(let seconds): "The item was given up: its work took longer than \(NumberText.duration(seconds))."
        }
    }
}
