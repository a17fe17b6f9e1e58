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
        let (source, output) = (_promise, Promise<T>(unsettled: ()))
        let cancelAlarm = timekeeper.schedule(seconds) {
            // An outcome that arrived in time is already being delivered.
            if source.storage.isPending {
                output.storage.cancel(with: PromiseError.timedOut(seconds: seconds), waits: false)
            }
        }
        output.storage.onCancel { _ in cancelAlarm() }
        output.storage.wait(for: source.storage) { output in
            output.typed(T.self).settle(as: source._outcome)
            cancelAlarm()
        }
        return output
    }
}
