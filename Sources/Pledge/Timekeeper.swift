import Dispatch
import Foundation

extension Thenable {
    /// Rejects if the promise doesn't settle within a time limit in seconds, by a clock.
    ///
    /// - Rejects: With this promise's error; with ``PromiseError/timedOut(seconds:)`` if the time limit is exceeded, in
    ///   which case this promise is canceled unless something else waits for it; with ``PromiseError/badInput(_:)`` if
    ///   `seconds` is negative or not a number.
    public func timeout(seconds: TimeInterval, timekeeper: Timekeeper = .live) -> Promise<T> {
        guard seconds >= 0 else {
            return Promise(error: PromiseError.badInput("A timeout cannot be \(seconds) s: the minimum is 0."))
        }
        let source = _promise
        let output = Promise<T>(unsettled: ())
        let cancelAlarm = timekeeper.schedule(seconds) {
            // An outcome that arrived in time is already being delivered.
            if source.storage.isPending {
                output.storage.cancel(with: PromiseError.timedOut(seconds: seconds), waits: false)
            }
        }
        output.storage.onCancel { _ in cancelAlarm() }
        output.storage.subscribe(to: source.storage) { output in
            output.typed(T.self).settle(as: source._outcome)
            cancelAlarm()
        }
        return output
    }
}

/// Returns a guarantee that is fulfilled after a delay in seconds, by a clock. Canceling it fulfills it immediately.
public func after(seconds: TimeInterval, timekeeper: Timekeeper = .live) -> Guarantee<Void> {
    let promise = Promise<Void>(unsettled: ())
    let guarantee = Guarantee(_unfailing: promise)
    // The timer keeps the promise alive.
    let cancel = timekeeper.schedule(seconds) { promise.storage.fulfill(()) }
    promise.storage.onCancel { promise in
        cancel()
        promise.typed(Void.self).fulfill(())
    }
    return guarantee
}

/// Returns a guarantee that is fulfilled after a delay; see ``after(seconds:timekeeper:)``.
public func after(_ interval: DispatchTimeInterval, timekeeper: Timekeeper = .live) -> Guarantee<Void> {
    let seconds: TimeInterval =
        switch interval {
        case .seconds(let count): TimeInterval(count)
        case .milliseconds(let count): TimeInterval(count) / 1e3
        case .microseconds(let count): TimeInterval(count) / 1e6
        case .nanoseconds(let count): TimeInterval(count) / 1e9
        default: .infinity
        }
    return after(seconds: seconds, timekeeper: timekeeper)
}

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
    private static let due = Locked(DueWork())

    /// Runs the work that is due on another serial queue, one after another: not on that of the timers, because it may
    /// run closures of a user, which may take long or wait for a timer.
    private static func runDue(after milliseconds: Int?) {
        guard let milliseconds else { return }
        let queue = DispatchQueue(label: "pledge.due", qos: .userInitiated)
        queue.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) {
            if milliseconds > 0 { due.withLock { $0.hasHelp = false } }
            while case let (work?, delay) = due.withLock({ $0.next() }) {
                runDue(after: delay)
                work()
            }
        }
    }

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
            // Retains itself until it has fired or was canceled: a timer that is released never fires. Whoever takes it
            // releases the work, which is never the queue of the timers.
            let held = Locked<Alarm?>(Alarm(timer: timer, work: work))
            timer.setEventHandler {
                let delay = due.withLock { due in
                    due.add {
                        guard let alarm = held.withLock({ $0.take() }) else { return }
                        alarm.timer.cancel()
                        alarm.work()
                    }
                }
                runDue(after: delay)
            }
            timer.activate()
            return { held.withLock { $0.take() }?.timer.cancel() }
        })
}

private struct Alarm {
    let timer: any DispatchSourceTimer
    let work: @Sendable () -> Void
}

/// The work of timers that is due, in order.
private struct DueWork {
    private var waiting = FIFO<@Sendable () -> Void>()
    /// Whether a thread runs the work, or is about to.
    private var isServed = false
    /// Whether another thread is to come, in case the work at hand takes long.
    var hasHelp = false

    /// Adds work. Returns after how many milliseconds another thread is to come, if one is.
    mutating func add(_ work: @escaping @Sendable () -> Void) -> Int? {
        waiting.append(work)
        return call()
    }

    /// Removes and returns the next work, with the same number.
    mutating func next() -> (work: (@Sendable () -> Void)?, delay: Int?) {
        let work = waiting.popFirst()
        isServed = work != nil
        return (work, call())
    }

    private mutating func call() -> Int? {
        guard !waiting.isEmpty, !isServed || !hasHelp else { return nil }
        (isServed, hasHelp) = (true, isServed || hasHelp)
        return hasHelp ? 10 : 0
    }
}
