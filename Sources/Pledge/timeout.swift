import Foundation

extension Thenable {
    /// Returns a promise that settles in the same way as this promise, but rejects if that takes longer than a time
    /// limit.
    ///
    /// - Parameters:
    ///   - seconds: The time limit.
    ///   - timekeeper: The clock that measures the time limit.
    /// - Rejects: With this promise's error, or with ``PromiseError/timedOut(seconds:)`` if the time limit is exceeded.
    ///   In that case, this promise is canceled, unless something else waits for it. If `seconds` is negative or not a
    ///   number, the error is ``PromiseError/badInput(_:)``.
    public func timeout(seconds: TimeInterval, timekeeper: Timekeeper = .live) -> Promise<T> {
        guard seconds >= 0 else {
            return Promise(error: PromiseError.badInput("A timeout cannot be \(seconds) s: the minimum is 0."))
        }
        let source = _promise
        let output = Promise<T>(unsettled: ())
        let cancelAlarm = timekeeper.schedule(seconds) {
            // If the promise has already settled, its outcome arrived in time and is being delivered.
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
