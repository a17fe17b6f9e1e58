import Foundation

extension Thenable {
    /// Gives up on a promise that takes too long.
    ///
    /// - Parameters:
    ///   - seconds: how long to wait, 0 or more.
    ///   - timekeeper: the clock.
    /// - Rejects: as this promise, or with ``PromiseError/timedOut(seconds:)`` when the time is up; this promise is
    ///   then cancelled, unless somebody else waits for it; with ``PromiseError/badInput(_:)`` for a time that makes no
    ///   sense.
    /// - Cancellation: passes up to this promise.
    public func timeout(seconds: TimeInterval, timekeeper: Timekeeper = .live) -> Promise<T> {
        guard seconds >= 0 else {
            return Promise(error: PromiseError.badInput("A timeout of \(seconds) s was asked for: it takes 0 or more."))
        }
        let (source, output) = (_promise, Promise<T>(unsettled: ()))
        let alarm = Locked<(@Sendable () -> Void)?>(nil)
        @Sendable func callOff() {
            alarm.withLock { $0.take() }?()
        }
        output.onCancel { _ in callOff() }
        output._wait(for: source) { output in
            output._as(Promise<T>.self)._settle(as: source._outcome)
            callOff()
        }
        let cancelAlarm = timekeeper.schedule(seconds) {
            // What was settled in time is on its way.
            if source._isPending { output.cancel(with: PromiseError.timedOut(seconds: seconds)) }
        }
        alarm.withLock { $0 = cancelAlarm }
        // Settled before there was anything to call off.
        if !output._isPending { callOff() }
        return output
    }
}
