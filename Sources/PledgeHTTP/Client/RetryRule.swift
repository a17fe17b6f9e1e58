import Foundation

/// A rule that determines when a failed request is retried, and how long to wait first.
///
/// Only requests that are safe to repeat are ever retried, whatever the rule specifies.
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
    /// The status codes after which a request is retried. For 429, see also ``limitDelay``.
    public var statuses: Set<Int>
    /// The wait after a 429 that specifies none, in seconds; nil makes it an error. As an early retry only uses up the
    /// rate limit, set this for jobs that have time.
    public var limitDelay: TimeInterval?
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

    /// Returns the upper bound of the wait after this many failed attempts, in seconds.
    package func longestPause(after failures: Int) -> TimeInterval {
        min(longestDelay, firstDelay * exp2(TimeInterval(failures - 1)))
    }

    /// Returns the seconds to wait before the next attempt, or nil if there is none.
    ///
    /// - Parameters:
    ///   - failures: The number of attempts so far.
    ///   - waited: The seconds waited so far.
    ///   - reply: The status code and the wait the service requests; nil if the connection failed.
    func delay(
        after failures: Int, waited: TimeInterval, reply: (status: Int, asksFor: TimeInterval?)?
    ) -> TimeInterval? {
        guard failures < attempts else { return nil }
        if let reply, !statuses.contains(reply.status) { return nil }
        let delay: TimeInterval
        if let asked = reply?.asksFor {
            delay = asked
        } else if reply?.status == 429 {
            guard let limitDelay else { return nil }
            delay = limitDelay
        } else {
            delay = random(0...longestPause(after: failures))
        }
        return waited + delay <= longestWait ? delay : nil
    }
}
