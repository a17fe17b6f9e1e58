import Foundation

/// A rule that determines when a failed request is retried, and how long to wait first.
///
/// A request that is not safe to repeat is retried only if it had no effect: because a limit refused it, or because no
/// connection could be made. If a response does not come from the service itself, such as a web page instead of JSON,
/// the request is retried once.
public struct RetryRule: Sendable {
    /// The maximum number of attempts, including the first.
    public var attempts: Int
    /// The upper bound of the first wait, in seconds. The bound doubles with each further wait. Each wait is a random
    /// time up to its bound, so that many clients do not retry at the same time.
    public var firstDelay: TimeInterval
    /// The maximum length of a single wait, in seconds. It does not apply to a wait that the service specifies.
    public var longestDelay: TimeInterval
    /// The maximum total time that a call may wait, in seconds. It includes the time during which a ``RateLimiter``
    /// holds the call back because the service permits no requests. If another wait would exceed the maximum, the call
    /// fails instead.
    public var longestWait: TimeInterval
    /// The status codes of failed responses after which a request is retried. For 429, see also ``limitDelay``.
    ///
    /// A 403 counts as a 429 if it announces a limit, either with `Retry-After`, or with a ``RateLimit`` that has no
    /// requests left.
    public var statuses: Set<Int>
    /// The wait after a 429 that does not specify a wait, in seconds. If this is nil, the call fails after such a 429,
    /// because a retry that comes too early would only use up the rate limit. For jobs that have time, set a long
    /// delay, and increase ``longestWait`` accordingly.
    public var limitDelay: TimeInterval?
    /// Whether an attempt that was refused with 429 counts toward ``attempts``.
    package var countsLimits = true
    /// A closure that returns a random number within a range. It determines the length of the random waits.
    public var random: @Sendable (ClosedRange<TimeInterval>) -> TimeInterval

    /// Creates a retry rule. The default values suit most services.
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

    /// The default rule of the kits for Exist and MyDataHelps. Of the failed responses, it retries only those that
    /// report a rate limit, or a service that is not available at present.
    package static let overload = RetryRule(statuses: [429, 502, 503, 504])

    /// Returns the upper bound of the wait after this many failed attempts, in seconds.
    func longestPause(after failures: Int) -> TimeInterval {
        max(0, min(longestDelay, firstDelay * exp2(TimeInterval(failures - 1)), 1e9))
    }
}

/// The numbers of failed attempts of a request so far, by their outcomes.
package struct AttemptCount: Sendable {
    fileprivate var troubled = 0
    fileprivate var limited = 0
    fileprivate var garbled = 0

    package init() {}
}

extension RetryRule {
    /// The consequences of an attempt.
    package struct Verdict: Sendable {
        /// The seconds for which no request with the token may be sent; nil if other requests are not affected.
        package var closing: TimeInterval?
        /// The seconds before the request is sent again; nil if the outcome of the attempt is the request's result.
        package var pause: TimeInterval?
    }

    /// The seconds for which other requests are held back after a 429 that does not specify a wait, if ``limitDelay``
    /// is nil.
    private static let bareWait: TimeInterval = 60

    /// Decides the consequences of an attempt, and adds the attempt to `count`.
    ///
    /// - Parameters:
    ///   - waited: The seconds that the request has waited so far.
    ///   - mayRepeat: Whether sending the request twice has the same effect as sending it once. If this is false, the
    ///     request may be sent again only if it had no effect: because a limit refused it, or because no connection
    ///     could be made.
    package func verdict(
        on attempt: AttemptOutcome, _ count: inout AttemptCount, waited: TimeInterval, mayRepeat: Bool,
        random: (ClosedRange<TimeInterval>) -> TimeInterval
    ) -> Verdict {
        var verdict = Verdict(closing: attempt.closes)
        var pause: TimeInterval?
        switch attempt.kind {
        case .unclear: break
        case .answered:
            guard let status = attempt.status, statuses.contains(status) else { break }
            count.troubled += 1
            if mayRepeat { pause = attempt.requestedWait ?? random(0...longestPause(after: count.troubled)) }
        case .limited:
            // The shortest wait doubles with each attempt, because a service may repeatedly ask for a wait of zero
            // seconds.
            let shortest = min(exp2(TimeInterval(count.limited)), 60)
            count.limited += 1
            let closing = max(attempt.requestedWait ?? limitDelay ?? Self.bareWait, shortest)
            verdict.closing = max(verdict.closing ?? 0, closing)
            if attempt.requestedWait != nil || limitDelay != nil { pause = closing }
        case .fault, .unsent:
            count.troubled += 1
            if mayRepeat || attempt.kind == .unsent {
                pause = attempt.requestedWait ?? random(0...longestPause(after: count.troubled))
            }
        case .garbled:
            count.garbled += 1
            if mayRepeat, count.garbled == 1 { pause = random(0...longestPause(after: 1)) }
        }
        let counted = count.troubled + count.garbled + (countsLimits ? count.limited : 0)
        // A 403 that announces a limit means the same as a 429.
        let isRetried =
            attempt.status.map { statuses.contains($0) || attempt.kind == .limited && statuses.contains(429) }
            ?? true
        guard counted < attempts, isRetried, let pause, waited + pause <= longestWait else { return verdict }
        verdict.pause = pause
        return verdict
    }
}
