import Dispatch
import Foundation

/// A clock and a timer. In tests, you can replace them with your own, to advance time instead of waiting for it.
///
/// The clock has two readings:
///
/// - ``now`` is for dates, such as the time of an event or the expiration of a token. It may jump, because somebody may
///   set the system's clock.
/// - ``uptime`` is for durations, that is, for how long something takes or waits. It never jumps.
public struct Timekeeper: Sendable {
    /// A closure that returns the current date and time.
    public var now: @Sendable () -> Date
    /// A closure that returns the number of seconds since a fixed moment. This number never jumps, and it advances at
    /// the same pace as the timers of ``schedule``.
    public var uptime: @Sendable () -> TimeInterval
    /// A closure that calls `work` once, after the given number of seconds, on any queue. It returns another closure,
    /// which cancels that call. The returned closure may be called more than once, and even after `work` was called.
    public var schedule: Schedule
    /// The type of ``schedule``.
    public typealias Schedule =
        @Sendable (_ seconds: TimeInterval, _ work: @escaping @Sendable () -> Void) -> @Sendable () -> Void

    /// Creates a timekeeper with a custom clock and timer. Without an `uptime`, the timekeeper measures durations with
    /// `now`, which must not jump in that case.
    public init(
        now: @escaping @Sendable () -> Date, uptime: (@Sendable () -> TimeInterval)? = nil,
        schedule: @escaping Schedule
    ) {
        self.now = now
        self.uptime = uptime ?? { now().timeIntervalSinceReferenceDate }
        self.schedule = schedule
    }

    /// The queue of the timers. It is serial, because a serial queue gets a thread of its own whenever it has work. On
    /// a concurrent queue, the timers could be late: concurrent queues share a limited number of threads, and handlers
    /// may block all of them.
    private static let alarms = DispatchQueue(label: "pledge.alarms", qos: .userInitiated)
    private static let due = Locked(DueWork())

    /// Starts a worker, or looks again in ten milliseconds, as `DueWork` has asked for.
    ///
    /// A worker is a serial queue of its own. The work can't run on the queue of the timers, because it may run closures
    /// of a user, which may take long or wait for a timer.
    private static func perform(_ next: DueWork.Next) {
        if let worker = next.worker {
            DispatchQueue(label: "pledge.due", qos: .userInitiated).async {
                while let work = due.withLock({ $0.next(for: worker) }) { work() }
            }
        }
        if next.looksAgain {
            alarms.asyncAfter(deadline: .now() + .milliseconds(10)) { perform(due.withLock { $0.look() }) }
        }
    }

    /// The system's clock, with timers that run in real time.
    public static let live = Timekeeper(
        now: { Date() },
        // The clock of Dispatch's timers, which is CLOCK_MONOTONIC on Linux. Unlike CLOCK_BOOTTIME, this clock stops
        // while the system is suspended, and so do the timers. So hours of suspension neither make a service seem down
        // nor end the wait for a rate limit too early.
        uptime: { TimeInterval(DispatchTime.now().uptimeNanoseconds) / 1e9 },
        schedule: { seconds, work in
            let timer = DispatchSource.makeTimerSource(queue: alarms)
            // A delay is limited to some decades, because Dispatch's clock would overflow otherwise. No program waits
            // that long. If the delay is not a number, the timer fires at once, because otherwise it would never fire.
            timer.schedule(deadline: .now() + (seconds > 0 ? min(seconds, 1e9) : 0))
            // The timer retains itself, through this box, until it has fired or was canceled, because a timer that is
            // released never fires. The work is released by the code that takes the alarm out of the box. That code
            // never runs on the queue of the timers.
            let held = Locked<Alarm?>(Alarm(timer: timer, work: work))
            timer.setEventHandler {
                let next = due.withLock { due in
                    due.add {
                        guard let alarm = held.withLock({ $0.take() }) else { return }
                        alarm.timer.cancel()
                        alarm.work()
                    }
                }
                perform(next)
            }
            timer.activate()
            return { held.withLock { $0.take() }?.timer.cancel() }
        })
}

private struct Alarm {
    let timer: any DispatchSourceTimer
    let work: @Sendable () -> Void
}

/// The work of timers that have fired, in order. One worker runs it, one piece after another. If a piece takes more than
/// ten milliseconds while others wait, another worker takes over.
private struct DueWork {
    private var waiting = FIFO<@Sendable () -> Void>()
    /// The number of the worker that runs the work. A worker with a lower number ends after its current piece.
    private var worker = 0
    private var phase = Phase.idle
    /// Whether ``look()`` will be called.
    private var isWatched = false

    /// What the worker is doing.
    private enum Phase {
        case idle, starting, running
        /// The worker is running the same piece as at the last look.
        case seenRunning
    }

    /// The worker to start, if any, and whether to call ``look()`` in ten milliseconds.
    struct Next {
        var worker: Int?
        var looksAgain = false
    }

    mutating func add(_ work: @escaping @Sendable () -> Void) -> Next {
        waiting.append(work)
        if phase == .idle {
            phase = .starting
            return Next(worker: worker)
        }
        return isWatched ? Next() : look()
    }

    /// Removes and returns the next work. Returns nil, and the worker ends, if there is none or another worker has taken
    /// over.
    mutating func next(for worker: Int) -> (@Sendable () -> Void)? {
        guard worker == self.worker else { return nil }
        let work = waiting.popFirst()
        phase = work == nil ? .idle : .running
        return work
    }

    /// Looks whether the worker is still running the piece that it was running at the last look. If so, and if other
    /// work waits, another worker takes over.
    mutating func look() -> Next {
        isWatched = !waiting.isEmpty
        guard isWatched else { return Next() }
        if phase == .seenRunning {
            worker += 1
            phase = .starting
            return Next(worker: worker, looksAgain: true)
        }
        if phase == .running { phase = .seenRunning }
        return Next(looksAgain: true)
    }
}
