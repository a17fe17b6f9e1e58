import Foundation
internal import PledgeTestWatchdog
import Testing

/// Waits for what happens soon on a thread that cannot be joined, such as a server's, or Swift's own when it releases a
/// task.
///
/// A wait has no limit of time, which a busy machine would reach. It ends without success if nothing happens any more in
/// this process and in the programs that it has started, which the watchdog of the tests measures in processor time.
package enum Wait {
    /// Returns once `condition` holds. Records an issue if nothing happens that could still make it true.
    package static func until(sourceLocation: SourceLocation = #_sourceLocation, _ condition: () -> Bool) async {
        var pause = Pause()
        while !condition() {
            guard !isInVain else { return giveUp(sourceLocation) }
            try? await Task.sleep(for: .microseconds(Int64(pause.next())))
        }
    }

    /// The same, on a thread that must not be given up.
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

    /// Nothing announces the moment, so a wait looks again and again: after a millisecond at first, and at most after a
    /// second, so that its own looks do not count as something that happens.
    private struct Pause {
        private var microseconds = 1000.0

        mutating func next() -> UInt32 {
            defer { microseconds = min(microseconds * 1.05, 1_000_000) }
            return UInt32(microseconds)
        }
    }
}
