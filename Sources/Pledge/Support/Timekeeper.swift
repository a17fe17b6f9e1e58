import Dispatch
import Foundation

/// A clock and a timer as a value, so that tests can advance time instead of waiting for it.
///
/// It has two readings. ``now`` is for what has a date: the time of an event, the expiration of a token. It may jump,
/// as someone may set the system's clock. ``uptime`` is for how long something takes or waits.
public struct Timekeeper: Sendable {
    /// A closure that returns the current date and time.
    public var now: @Sendable () -> Date
    /// A closure that returns the seconds since some fixed moment, which never jump, at the pace of ``schedule``.
    public var uptime: @Sendable () -> TimeInterval
    /// A closure that calls `work` once, after `seconds`, on any queue, and returns a closure that cancels the call, and that
    /// may be called more than once, and after `work`.
    public var schedule: Schedule
    /// The type of ``schedule``.
    public typealias Schedule =
        @Sendable (_ seconds: TimeInterval, _ work: @escaping @Sendable () -> Void) -> @Sendable () -> Void

    /// Creates a timekeeper with a custom clock and timer. Without an `uptime`, it uses `now`, which then must not
    /// jump.
    public init(
        now: @escaping @Sendable () -> Date, uptime: (@Sendable () -> TimeInterval)? = nil,
        schedule: @escaping Schedule
    ) {
        self.now = now
        self.uptime = uptime ?? { now().timeIntervalSinceReferenceDate }
        self.schedule = schedule
    }

    /// Serial, and so with a thread of its own whenever it has work: the shared pool may be full of blocked handlers.
    private static let alarms = DispatchQueue(label: "pledge.alarms", qos: .userInitiated)

    /// The system clock, with timers that run in real time.
    public static let live = Timekeeper(
        now: { Date() },
        // The clock of Dispatch's timers: CLOCK_MONOTONIC on Linux. Unlike CLOCK_BOOTTIME, neither counts time in which
        // the system is suspended: such hours neither let a service seem down nor end a wait for a limit too early.
        uptime: { TimeInterval(DispatchTime.now().uptimeNanoseconds) / 1e9 },
        schedule: { seconds, work in
            let timer = DispatchSource.makeTimerSource(queue: alarms)
            // Dispatch's clock would overflow beyond some decades, and no program waits that long. A delay that isn't a
            // number would never end.
            timer.schedule(deadline: .now() + (seconds > 0 ? min(seconds, 1e9) : 0))
            let held = Locked<(any DispatchSourceTimer)?>(timer)
            // Retains itself until it has fired or was canceled: a timer that is released never fires.
            @Sendable func cancel() {
                held.withLock { $0.take() }?.cancel()
            }
            timer.setEventHandler {
                cancel()
                work()
            }
            timer.activate()
            return cancel
        })
}
