import Foundation
import Pledge

@testable import PledgeCommand

extension Timekeeper {
    /// Returns a clock whose alarms can't be canceled. They only go to `alarms`, where a test can call them later.
    static func late(_ alarms: Locked<[@Sendable () -> Void]>) -> Timekeeper {
        Timekeeper(now: { Date() }) { _, work in
            alarms.withLock { $0.append(work) }
            return {}
        }
    }

    /// Returns a clock that is ahead of the system clock by a number of days. A wait of less than ten minutes ends at
    /// once, and sets the clock forward by the wait's length. A wait of ten minutes or more never ends.
    static func jumping(days: Double = 0) -> Timekeeper {
        let (ahead, queue) = (Locked(days * 86_400), DispatchQueue(label: "pledge.jumps"))
        // Some alarms must not make time pass: the repeated alarms for progress and metrics, and long timeouts, which
        // matter only if a service doesn't respond.
        let paces = [ProgressReporter.Style.terminal.pace, ProgressReporter.Style.log.pace, MetricsFile.pace]
        return Timekeeper(
            now: { Date() + ahead.withLock { $0 } }, uptime: { live.uptime() + ahead.withLock { $0 } },
            schedule: { seconds, work in
                guard seconds < 600, !paces.contains(seconds) else { return {} }
                let (isOff, due) = (Locked(false), ahead.withLock { $0 } + seconds)
                queue.async {
                    guard !isOff.withLock({ $0 }) else { return }
                    ahead.withLock { $0 = max($0, due) }
                    work()
                }
                return { isOff.withLock { $0 = true } }
            })
    }
}
