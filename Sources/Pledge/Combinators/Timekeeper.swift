import Dispatch
import Foundation

/// The clock and the alarm as a value, so that tests can move time instead of waiting for it.
public struct Timekeeper: Sendable {
    /// The time of day.
    public var now: @Sendable () -> Date
    /// Calls `work` once, that many seconds from now, on some queue; the returned closure calls it off.
    public var schedule:
        @Sendable (_ seconds: TimeInterval, _ work: @escaping @Sendable () -> Void) -> @Sendable () -> Void

    /// A clock and an alarm of one's own.
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

    /// Serial, and so with a thread of its own whenever it has work: the shared pool may be full of handlers that block.
    private static let alarms = DispatchQueue(label: "pledge.alarms", qos: .userInitiated)

    /// The clocks of the system, and real waiting.
    public static let live = Timekeeper(
        now: { Date() },
        schedule: { seconds, work in
            let timer = DispatchSource.makeTimerSource(queue: alarms)
            // Beyond some decades Dispatch's clock would overflow, and nobody waits that long. What is no number would
            // never ring.
            timer.schedule(deadline: .now() + (seconds > 0 ? min(seconds, 1e9) : 0))
            let held = Locked<(any DispatchSourceTimer)?>(timer)
            // Holds itself until it has rung or was called off: a timer that is let go never rings.
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
