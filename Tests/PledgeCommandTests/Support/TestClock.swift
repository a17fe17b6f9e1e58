import ExistKit
import Foundation
import Pledge

@testable import PledgeCommand

/// The date of the tool and of the services in tests. It stands still, so that no test depends on the date or runs past
/// midnight.
enum TestClock {
    /// Friday, 20 November 2026, at 12:00 UTC.
    static let noon = Date(timeIntervalSince1970: 1_795_176_000)
    static let today = ExistDay(noon, in: .current)
}

extension Timekeeper {
    /// A clock whose date stands still. Waits take as long as on the live clock.
    static let noon = Timekeeper(now: { TestClock.noon }, uptime: live.uptime, schedule: live.schedule)

    /// Returns a clock whose alarms can't be canceled. They only go to `alarms`, where a test can call them later.
    static func late(_ alarms: Locked<[@Sendable () -> Void]>) -> Timekeeper {
        Timekeeper(now: { TestClock.noon }) { _, work in
            alarms.withLock { $0.append(work) }
            return {}
        }
    }

    /// Returns a clock that begins a number of days after the tests' date. A wait of less than ten minutes ends at once,
    /// and sets the clock forward by the wait's length. A wait of ten minutes or more never ends.
    static func jumping(days: Double = 0) -> Timekeeper {
        let (ahead, queue) = (Locked(days * 86_400), DispatchQueue(label: "pledge.jumps"))
        // Some alarms must not make time pass: the repeated alarms for progress and metrics, and long timeouts, which
        // matter only if a service doesn't respond.
        let paces = [ProgressReporter.Style.terminal.pace, ProgressReporter.Style.log.pace, MetricsFile.pace]
        return Timekeeper(
            now: { TestClock.noon + ahead.withLock { $0 } }, uptime: { live.uptime() + ahead.withLock { $0 } },
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
