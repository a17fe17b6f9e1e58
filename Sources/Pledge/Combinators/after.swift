import Dispatch
import Foundation

/// Waits a while, and is then fulfilled.
///
/// - Parameters:
///   - seconds: how long.
///   - timekeeper: the clock.
/// - Returns: a guarantee that is fulfilled when the time is up.
/// - Cancellation: calls the alarm off; the guarantee, which cannot reject, is fulfilled at once.
public func after(seconds: TimeInterval, timekeeper: Timekeeper = .live) -> Guarantee<Void> {
    let promise = Promise<Void>(unsettled: ())
    let guarantee = Guarantee(_unfailing: promise)
    // The alarm keeps the promise alive.
    let callOff = timekeeper.schedule(seconds) { promise._fulfill(()) }
    promise.onCancel { promise in
        callOff()
        promise._as(Promise<Void>.self)._fulfill(())
    }
    return guarantee
}

/// A pause; see ``after(seconds:timekeeper:)``.
public func after(_ interval: DispatchTimeInterval, timekeeper: Timekeeper = .live) -> Guarantee<Void> {
    after(seconds: interval.seconds, timekeeper: timekeeper)
}

extension DispatchTimeInterval {
    /// The same in seconds.
    var seconds: TimeInterval {
        switch self {
        case .seconds(let count): TimeInterval(count)
        case .milliseconds(let count): TimeInterval(count) / 1e3
        case .microseconds(let count): TimeInterval(count) / 1e6
        case .nanoseconds(let count): TimeInterval(count) / 1e9
        case .never: .infinity
        @unknown default: .infinity
        }
    }
}
