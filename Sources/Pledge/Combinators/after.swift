import Dispatch
import Foundation

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
