import Dispatch
import Foundation

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
