import Foundation

/// The delay before another attempt.
public struct RetryDelay: Sendable {
    /// A closure that returns the delay, in seconds, after this many failed attempts, starting from 1, and the error of
    /// the last one, which may say how long to wait.
    public let seconds: @Sendable (_ failures: Int, _ error: any Error) -> TimeInterval

    /// Creates a delay computed by a closure.
    public init(seconds: @escaping @Sendable (_ failures: Int, _ error: any Error) -> TimeInterval) {
        self.seconds = seconds
    }

    /// No delay between attempts.
    public static let none = RetryDelay { _, _ in 0 }

    /// Returns a delay that is the same after every failed attempt.
    public static func constant(seconds: TimeInterval) -> RetryDelay { RetryDelay { _, _ in seconds } }

    /// Returns a random delay with an upper bound that doubles each time, so that many clients don't retry at once.
    /// There is none if `first` or `most` is negative or not a number.
    ///
    /// - Parameters:
    ///   - first: The upper bound after the first failed attempt, in seconds.
    ///   - most: The maximum upper bound, in seconds.
    ///   - random: A closure that returns a random number in a range.
    public static func exponential(
        first: TimeInterval = 0.5, most: TimeInterval = 30,
        random: @escaping @Sendable (ClosedRange<TimeInterval>) -> TimeInterval = { .random(in: $0) }
    ) -> RetryDelay {
        RetryDelay { failures, _ in
            let bound = first * exp2(TimeInterval(failures - 1))
            // At most some decades: no timer waits longer, and an infinite range has no random number.
            return bound > 0 && most > 0 ? random(0...min(bound, most, 1e9)) : 0
        }
    }
}

/// Repeats an operation that fails, up to a maximum number of attempts.
///
/// - Parameters:
///   - attempts: The maximum number of attempts, including the first.
///   - delay: The delay between attempts.
///   - isWorthIt: Whether to make another attempt after an error. There is never one after cancellation.
///   - timekeeper: The clock that measures the delay.
///   - body: A closure that creates each attempt's promise, first on the calling thread, later on the default queue.
/// - Rejects: With the error of the last attempt; with ``PromiseError/badInput(_:)`` if `attempts` is less than 1.
/// - Cancellation: Propagates to the current attempt, or ends the delay before the next.
public func retry<V, U: Thenable<V>>(
    attempts: Int, delay: RetryDelay = .none, if isWorthIt: @escaping @Sendable (any Error) -> Bool = { _ in true },
    timekeeper: Timekeeper = .live, _ body: @escaping @Sendable () throws -> U
) -> Promise<V> {
    guard attempts > 0 else {
        return Promise(error: PromiseError.badInput("retry cannot make \(attempts) attempts: the minimum is 1."))
    }
    let output = Promise<V>(unsettled: ())
    @Sendable func attempt(_ number: Int) {
        let promise = firstly(execute: body)
        output.storage.subscribe(to: promise.storage, on: .configured, .errors) { output in
            promise._hand(to: output) { (output: ValueStorage<V?>, outcome) in
                guard case .failure(let error) = outcome, number < attempts, !error.isCancelled, isWorthIt(error) else {
                    return output.settle(as: outcome)
                }
                let seconds = delay.seconds(number, error)
                guard seconds > 0 else { return attempt(number + 1) }
                let pause = after(seconds: seconds, timekeeper: timekeeper)._promise
                output.subscribe(to: pause.storage, on: .configured, .values) {
                    if $0.isPending { attempt(number + 1) }
                }
            }
        }
    }
    attempt(1)
    return output
}
