import Dispatch
import Foundation

/// A clock and a timer as a value, so that tests can advance time instead of waiting for it.
public struct Timekeeper: Sendable {
    /// A closure that returns the current date and time.
    public var now: @Sendable () -> Date
    /// A closure that calls `work` once, after `seconds`, on any queue, and returns a closure that cancels the call.
    public var schedule:
        @Sendable (_ seconds: TimeInterval, _ work: @escaping @Sendable () -> Void) -> @Sendable () -> Void

    /// Creates a timekeeper with a custom clock and timer.
    public init(
        now: @escaping @Sendable () -> Date,
        schedule:
            @escaping @Sendable (_ seconds: TimeInterval, _ work: @escaping @Sendable () -> Void) ->
            @Sendable () ->
            Void
    ) {
        self.now = now
        self.schedule = schedule
    }

    /// Serial, and so with a thread of its own whenever it has work: the shared pool may be full of blocked handlers.
    private static let alarms = DispatchQueue(label: "pledge.alarms", qos: .userInitiated)

    /// The system clock, with timers that run in real time.
    public static let live = Timekeeper(
        now: { Date() },
        schedule: { seconds, work in
            let timer = DispatchSource.makeTimerSource(queue: alarms)
            // Dispatch's clock would overflow beyond some decades, and no program waits that long. A delay that isn't a
            // number would never end.
            timer.schedule(deadline: .now() + (seconds > 0 ? min(seconds, 1e9) : 0))
            let held = Locked<(any DispatchSourceTimer)?>(timer)
            // Retains itself until it has fired or was canceled: a timer that is released never fires.
            @Sendable func letGo() {
                held.withLock { $0.take() }?.cancel()
            }
            timer.setEventHandler {
                letGo()
                work()
            }
            timer.activate()
            return letGo
        })
}
