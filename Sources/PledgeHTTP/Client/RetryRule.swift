import Foundation

/// When to send a request again, and how long to wait before.
///
/// Only requests that are safe to repeat are ever repeated, whatever the rule says.
public struct RetryRule: Sendable {
    /// How often a request is sent in all, at most.
    public var attempts: Int
    /// The longest first wait, in seconds. Each wait is a random part of twice the one before, so that many clients do
    /// not come back together.
    public var firstDelay: TimeInterval
    /// The longest single wait of one's own choosing, in seconds.
    public var longestDelay: TimeInterval
    /// The longest time to spend waiting in all, in seconds; a service that asks for more is not waited for.
    public var longestWait: TimeInterval
    /// The statuses worth another attempt. For 429 see also ``limitDelay``.
    public var statuses: Set<Int>
    /// How long to wait after a 429 that does not say it, in seconds; nil makes it an error. Trying again soon would only
    /// burn through the limit, so this is for jobs that have time.
    public var limitDelay: TimeInterval?
    /// Picks a number from a range.
    public var random: @Sendable (ClosedRange<TimeInterval>) -> TimeInterval

    /// Makes a rule; what is left out does for most services.
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

    /// One attempt, whatever comes of it.
    public static let never = RetryRule(attempts: 1)

    /// How long to wait before the next attempt, or nil if there is none.
    ///
    /// - Parameters:
    ///   - failures: attempts so far.
    ///   - waited: seconds waited so far.
    ///   - reply: status and the wait the service asks for; nil if the connection failed.
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
            delay = random(0...min(longestDelay, firstDelay * exp2(TimeInterval(failures - 1))))
        }
        return waited + delay <= longestWait ? delay : nil
    }
}
