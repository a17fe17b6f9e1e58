import Foundation
import Pledge

@testable import PledgeCommand

extension Timekeeper {
    /// A clock whose alarms come too late to be canceled, when a test calls them.
    static func late(_ alarms: Locked<[@Sendable () -> Void]>) -> Timekeeper {
        Timekeeper(now: { Date() }) { _, work in
            alarms.withLock { $0.append(work) }
            return {}
        }
    }

    /// The system clock, perhaps set to another day, except that a wait is over at once, and sets the clock forward.
    static func jumping(days: Double = 0) -> Timekeeper {
        let (ahead, queue) = (Locked(days * 86_400), DispatchQueue(label: "pledge.jumps"))
        // What is shown again and again, or happens only if a service does not answer, must not make time pass.
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
