import Foundation

/// The delay between two attempts of `retry`.
public struct RetryDelay: Sendable {
    /// A closure that returns the delay before the next attempt, in seconds. It receives the number of failed attempts
    /// so far, which is at least 1, and the error of the last attempt. Some errors say how long to wait.
    public let seconds: @Sendable (_ failures: Int, _ error: any Error) -> TimeInterval

    /// Creates a delay that a closure computes.
    public init(seconds: @escaping @Sendable (_ failures: Int, _ error: any Error) -> TimeInterval) {
        self.seconds = seconds
    }

    /// No delay: the next attempt begins at once.
    public static let none = RetryDelay { _, _ in 0 }

    /// Returns a delay that is the same after every failed attempt.
    public static func constant(seconds: TimeInterval) -> RetryDelay { RetryDelay { _, _ in seconds } }

    /// Returns a random delay, whose upper bound doubles after each failed attempt. Because the delay is random, many
    /// clients that fail at the same time don't all retry at the same time.
    ///
    /// If `first` or `most` isn't a positive number, there is no delay.
    ///
    /// - Parameters:
    ///   - first: The upper bound after the first failed attempt, in seconds.
    ///   - most: The limit beyond which the upper bound doesn't grow, in seconds.
    ///   - random: A closure that returns a random number in a range.
    public static func exponential(
        first: TimeInterval = 0.5, most: TimeInterval = 30,
        random: @escaping @Sendable (ClosedRange<TimeInterval>) -> TimeInterval = { .random(in: $0) }
    ) -> RetryDelay {
        RetryDelay { failures, _ in
            let bound = first * exp2(TimeInterval(failures - 1))
            // The upper bound is limited to some decades: no timer waits longer, and there is no random number in an
            // infinite range.
            return bound > 0 && most > 0 ? random(0...min(bound, most, 1e9)) : 0
        }
    }
}

/// Repeats an operation until it succeeds, up to a maximum number of attempts.
///
/// - Parameters:
///   - attempts: The maximum number of attempts, including the first.
///   - delay: The delay between two attempts.
///   - isWorthIt: A closure that returns whether to make another attempt after this error. There is never another
///     attempt after a cancellation.
///   - timekeeper: The clock that measures the delay.
///   - body: A closure that starts an attempt and returns its promise. The first call is on the calling thread. Later
///     calls are on the default queue.
/// - Rejects: With the error of the last attempt, or with ``PromiseError/badInput(_:)`` if `attempts` is less than 1.
/// - Cancellation: Propagates to the current attempt. Between two attempts, it ends the delay, and there is no further
///   attempt.
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
            promise.hand(to: output) { (output: ValueStorage<V?>, outcome) in
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
