import Foundation
internal import PledgeTestWatchdog
import Testing

/// Waits for something that happens soon on a thread that cannot be joined, such as the thread of a server, or the thread on
/// which Swift releases a task.
///
/// A wait has no time limit, because a busy machine could exceed any limit. A wait fails if nothing happens anymore in this
/// process and in the programs that it has started. The watchdog of the tests measures this in processor time.
package enum Wait {
    /// Returns once `condition` holds. Records an issue if nothing happens that could still make it true.
    package static func until(sourceLocation: SourceLocation = #_sourceLocation, _ condition: () -> Bool) async {
        var pause = Pause()
        while !condition() {
            guard !isInVain else { return giveUp(sourceLocation) }
            try? await Task.sleep(for: .microseconds(Int64(pause.next())))
        }
    }

    /// Returns once `condition` holds, like `until`, but blocks the thread instead of suspending.
    package static func blocking(sourceLocation: SourceLocation = #_sourceLocation, until condition: () -> Bool) {
        var pause = Pause()
        while !condition() {
            guard !isInVain else { return giveUp(sourceLocation) }
            usleep(pause.next())
        }
    }

    /// Whether nothing has happened for so long that a wait cannot succeed any more.
    package static var isInVain: Bool { pledge_test_waits_in_vain() != 0 }

    private static func giveUp(_ location: SourceLocation) {
        Issue.record("the condition never held", sourceLocation: location)
    }

    /// The pauses between two checks of a condition. They grow from a millisecond to a second, so that the checks themselves
    /// don't use enough processor time to count as something that happens.
    private struct Pause {
        private var microseconds = 1000.0

        mutating func next() -> UInt32 {
            defer { microseconds = min(microseconds * 1.05, 1_000_000) }
            return UInt32(microseconds)
        }
    }
}
