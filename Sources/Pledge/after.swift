import Dispatch
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

/// Returns a guarantee that is fulfilled after a delay, in seconds. The timekeeper measures the delay.
///
/// - Cancellation: Canceling the guarantee fulfills it immediately.
public func after(seconds: TimeInterval, timekeeper: Timekeeper = .live) -> Guarantee<Void> {
    let promise = Promise<Void>(unsettled: ())
    let guarantee = Guarantee(_unfailing: promise)
    // The timer keeps the promise alive until the delay is over.
    let cancel = timekeeper.schedule(seconds) { promise.storage.fulfill(()) }
    promise.storage.onCancel { promise in
        cancel()
        promise.typed(Void.self).fulfill(())
    }
    return guarantee
}

/// Returns a guarantee that is fulfilled after a delay. The timekeeper measures the delay.
///
/// - Cancellation: Canceling the guarantee fulfills it immediately.
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
