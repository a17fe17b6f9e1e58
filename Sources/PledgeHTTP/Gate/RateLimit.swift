import Foundation

/// A service's rate limit, as announced in its most recent response.
public struct RateLimit: Sendable, Equatable {
    /// The number of requests allowed per period; nil if not announced.
    public var limit: Int?
    /// The number of requests left in this period; nil if not announced.
    public var remaining: Int?
    /// The time at which the next period begins; nil if not announced.
    public var resetsAt: Date?

    /// Creates a rate limit for use in tests.
    public init(limit: Int?, remaining: Int?, resetsAt: Date?) {
        self.limit = limit
        self.remaining = remaining
        self.resetsAt = resetsAt
    }

    /// Creates a limit from `RateLimit-Limit`, `RateLimit-Remaining`, and `RateLimit-Reset`; nil if none is present.
    public init?(_ headers: HeaderFields, now: Date) {
        func number(_ name: String) -> Int? { headers[name].flatMap { Int($0) } }
        limit = number("RateLimit-Limit")
        remaining = number("RateLimit-Remaining")
        resetsAt = headers["RateLimit-Reset"].flatMap { RetryAfter.seconds($0, now: now) }.map(now.addingTimeInterval)
        if limit == nil, remaining == nil, resetsAt == nil { return nil }
    }
}
