import Foundation

/// How long to wait before another attempt.
public struct RetryDelay: Sendable {
    /// The seconds to wait after that many failed attempts, from 1.
    public let seconds: @Sendable (_ failures: Int) -> TimeInterval

    /// A rule of your own.
    public init(seconds: @escaping @Sendable (_ failures: Int) -> TimeInterval) {
        self.seconds = seconds
    }

    /// Does not wait between attempts.
    public static let none = RetryDelay { _ in 0 }

    /// Waits equally long each time.
    public static func constant(seconds: TimeInterval) -> RetryDelay {
        RetryDelay { _ in seconds }
    }

    /// Twice as long each time, and each time a random part of that, so that many clients do not come back together.
    ///
    /// - Parameters:
    ///   - first: the longest wait after the first failure, in seconds.
    ///   - most: the longest wait of all, in seconds.
    ///   - random: picks a number from a range.
    public static func exponential(
        first: TimeInterval = 0.5, most: TimeInterval = 30,
        random: @escaping @Sendable (ClosedRange<TimeInterval>) -> TimeInterval = { .random(in: $0) }
    ) -> RetryDelay {
        RetryDelay { failures in random(0...min(most, first * exp2(TimeInterval(failures - 1)))) }
    }
}

/// Tries again when it goes wrong.
///
/// - Parameters:
///   - attempts: how often in all.
///   - delay: how long to wait in between.
///   - isWorthIt: which errors deserve another attempt; cancellation never gets one.
///   - timekeeper: the clock.
///   - body: makes the promise for an attempt; runs first in the calling thread, later on the default queue.
/// - Rejects: with the last error; with ``PromiseError/badInput(_:)`` for fewer than one attempt.
/// - Cancellation: passes up to the attempt under way, or ends the wait for the next.
public func retry<U: Thenable>(
    attempts: Int, delay: RetryDelay = .none, if isWorthIt: @escaping @Sendable (any Error) -> Bool = { _ in true },
    timekeeper: Timekeeper = .live, _ body: @escaping @Sendable () throws -> U
) -> Promise<U.T> {
    guard attempts > 0 else {
        return Promise(error: PromiseError.badInput("retry was asked for \(attempts) attempts: it takes at least 1."))
    }
    let output = Promise<U.T>(unsettled: ())
    @Sendable func attempt(_ number: Int) {
        let promise = firstly(execute: body)
        output._wait(for: promise, on: .configured, .errors) { output in
            promise._hand(to: output) { (output: Promise<U.T>, outcome) in
                guard case .failure(let error) = outcome, number < attempts, !error.isCancelled, isWorthIt(error) else {
                    return output._settle(as: outcome)
                }
                let seconds = delay.seconds(number)
                guard seconds > 0 else { return attempt(number + 1) }
                let pause = after(seconds: seconds, timekeeper: timekeeper)._promise
                output._wait(for: pause, on: .configured, .values) { if $0._isPending { attempt(number + 1) } }
            }
        }
    }
    attempt(1)
    return output
}
