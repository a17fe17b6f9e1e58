import Foundation
import Pledge

/// The single timer of a state behind a lock: its time is decided under the lock, but set without it, because some
/// clocks call immediately.
package final class Alarm: Sendable {
    private struct State {
        var time: TimeInterval?
        var cancel: (@Sendable () -> Void)?
    }

    private let clock: Timekeeper
    private let state = Locked(State())

    package init(_ clock: Timekeeper) { self.clock = clock }

    /// Decides when it calls `fire`, once, by the clock's uptime (some clocks are early); nil for never. Returns what
    /// to do without the lock, or nil if nothing changes.
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
