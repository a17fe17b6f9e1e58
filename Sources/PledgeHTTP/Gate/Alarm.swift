import Foundation
import Pledge

/// A timer for a state that a lock protects. The timer is set to at most one time: a new time replaces the previous
/// one.
///
/// The time is decided while the caller holds the lock. The timer is set after the caller has released the lock,
/// because some clocks call back immediately, and the callback needs the lock.
package final class Alarm: Sendable {
    private struct State {
        var time: TimeInterval?
        var cancel: (@Sendable () -> Void)?
    }

    private let clock: Timekeeper
    private let state = Locked(State())

    package init(_ clock: Timekeeper) { self.clock = clock }

    /// Plans the time at which the alarm calls `fire` once. Returns a closure that the caller must call after releasing
    /// its lock. Returns nil if the time has not changed.
    ///
    /// - Parameter time: The time at which to call `fire`, as an uptime of the clock; nil for never. `fire` may be
    ///   called slightly earlier, because some clocks call too early.
    package func plan(
        _ time: TimeInterval?, _ fire: @escaping @Sendable () -> Void
    ) -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard time != state.time else { return nil }
            let former = state.cancel
            state = State(time: time)
            return {
                former?()
                if let time { self.set(time, fire) }
            }
        }
    }

    private func set(_ time: TimeInterval, _ fire: @escaping @Sendable () -> Void) {
        let cancel = clock.schedule(max(0, time - clock.uptime())) {
            let isDue = self.state.withLock { state in
                guard state.time == time else { return false }
                state = State()
                return true
            }
            if isDue { fire() }
        }
        let isLate = state.withLock { state in
            guard state.time == time else { return true }
            state.cancel = cancel
            return false
        }
        if isLate { cancel() }
    }
}
