import Foundation
import Pledge

/// A clock that advances only when a test advances it, and jumps only when a test sets it.
package final class ManualTimekeeper: Sendable {
    private struct Alarm {
        let id: Int
        let due: TimeInterval
        let work: @Sendable () -> Void
    }

    private struct State {
        var elapsed: TimeInterval = 0
        /// The seconds by which the date was set forward.
        var offset: TimeInterval = 0
        var lastID = 0
        var alarms: [Alarm] = []
        var requested: [TimeInterval] = []

        /// Removes and returns the earliest of the alarms that are due by `time`. If several alarms are due at the same moment,
        /// it is the one that was set first.
        mutating func takeNext(by time: TimeInterval) -> Alarm? {
            let next = alarms.filter { $0.due <= time }.min { ($0.due, $0.id) < ($1.due, $1.id) }
            alarms.removeAll { $0.id == next?.id }
            return next
        }
    }

    private let start: Date
    private let state = Locked(State())

    package init(start: Date = Date(timeIntervalSince1970: 0)) { self.start = start }

    /// The timekeeper to pass to the code under test.
    package var timekeeper: Timekeeper {
        Timekeeper(
            now: { self.now },
            uptime: { self.state.withLock { $0.elapsed } },
            schedule: { seconds, work in self.schedule(seconds, work) })
    }

    package var now: Date { start + state.withLock { $0.elapsed + $0.offset } }

    /// The number of alarms that have neither fired nor been canceled.
    package var alarmCount: Int { state.withLock { $0.alarms.count } }

    /// All requested delays, in order.
    package var requested: [TimeInterval] { state.withLock { $0.requested } }

    /// Advances time, and fires every alarm that becomes due, in order, on the calling thread.
    package func advance(by seconds: TimeInterval) {
        let target = state.withLock { $0.elapsed } + seconds
        while let alarm = state.withLock({ $0.takeNext(by: target) }) {
            state.withLock { $0.elapsed = max($0.elapsed, alarm.due) }
            alarm.work()
        }
        state.withLock { $0.elapsed = target }
    }

    /// Sets the date forward, or back if `seconds` is negative. No time passes.
    package func jump(by seconds: TimeInterval) { state.withLock { $0.offset += seconds } }

    private func schedule(_ seconds: TimeInterval, _ work: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let id = state.withLock { state in
            state.lastID += 1
            state.requested.append(seconds)
            state.alarms.append(Alarm(id: state.lastID, due: state.elapsed + seconds, work: work))
            return state.lastID
        }
        return {
            // Releases the alarm outside the lock, because releasing what its work has captured may run any code.
            let calledOff = self.state.withLock { state in
                defer { state.alarms.removeAll { $0.id == id } }
                return state.alarms.first { $0.id == id }
            }
            withExtendedLifetime(calledOff) {}
        }
    }
}
