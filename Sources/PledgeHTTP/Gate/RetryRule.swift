import Foundation

/// A rule that determines when a failed request is retried, and how long to wait first.
///
/// A request that is not safe to repeat is retried only if it has had no effect: a limit refused it, or no connection
/// could be made. A response that is not the service's own, such as a web page for JSON, is retried once.
public struct RetryRule: Sendable {
    /// The maximum number of attempts, including the first.
    public var attempts: Int
    /// The upper bound of the first wait, in seconds. The bound doubles with each wait, and each wait is random within
    /// its bound, so that many clients do not retry at the same time.
    public var firstDelay: TimeInterval
    /// The maximum length of a wait that the service did not specify, in seconds.
    public var longestDelay: TimeInterval
    /// The maximum total waiting time of a call, in seconds, including the time for which the service closes a
    /// ``RateLimiter``. The call fails rather than exceed it.
    public var longestWait: TimeInterval
    /// The status codes of failed responses after which a request is retried. For 429, see also ``limitDelay``. A 403
    /// counts as a 429 if it announces a limit: with `Retry-After`, or with a ``RateLimit`` of which nothing remains.
    public var statuses: Set<Int>
    /// The wait after a 429 that specifies none, in seconds; nil makes it an error. As an early retry only uses up the
    /// rate limit, set this for jobs that have time, together with ``longestWait``.
    public var limitDelay: TimeInterval?
    /// Whether an attempt that was refused with 429 counts toward ``attempts``.
    package var countsLimits = true
    /// A closure that returns a random number within a range.
    public var random: @Sendable (ClosedRange<TimeInterval>) -> TimeInterval

    /// Creates a retry rule; the default values suit most services.
    public init(
        attempts: Int = 3, firstDelay: TimeInterval = 0.5, longestDelay: TimeInterval = 20,
        longestWait: TimeInterval = 60, statuses: Set<Int> = [408, 425, 429, 500, 502, 503, 504],
        limitDelay: TimeInterval? = nil,
        random: @escaping @Sendable (ClosedRange<TimeInterval>) -> TimeInterval = { .random(in: $0) }
    ) {
        self.attempts = attempts
        self.firstDelay = firstDelay
        self.longestDelay = longestDelay
        self.longestWait = longestWait
        self.statuses = statuses
        self.limitDelay = limitDelay
        self.random = random
    }

    /// A rule that never retries a request.
    public static let never = RetryRule(attempts: 1)

    /// The rule of both kits.
    package static let overload = RetryRule(statuses: [429, 502, 503, 504])

    /// Returns the upper bound of the wait after this many failed attempts, in seconds.
    func longestPause(after failures: Int) -> TimeInterval {
        max(0, min(longestDelay, firstDelay * exp2(TimeInterval(failures - 1)), 1e9))
    }
}
