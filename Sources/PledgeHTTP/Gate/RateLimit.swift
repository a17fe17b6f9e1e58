import Foundation

/// A service's rate limit, as announced in its most recent response.
public struct RateLimit: Sendable, Equatable {
    /// The number of requests allowed per period; nil if not announced.
    public var limit: Int?
    /// The number of requests left in this period; nil if not announced. If it is 0, a ``RateLimiter`` sends no request
    /// before ``resetsAt``.
    public var remaining: Int?
    /// The time at which the next period begins; nil if not announced.
    public var resetsAt: Date?

    /// Creates a rate limit, for ``EndpointClient/Options/limits`` or a test.
    public init(limit: Int?, remaining: Int?, resetsAt: Date?) {
        self.limit = limit
        self.remaining = remaining
        self.resetsAt = resetsAt
    }

    /// Creates a limit from the headers that services usually send; nil if there are no such headers.
    ///
    /// There are four families of headers. If a response has several of them, only the first one in this list counts:
    /// - `RateLimit` with `RateLimit-Policy`, as the IETF's drafts define them.
    /// - `RateLimit-Limit`, `RateLimit-Remaining`, and `RateLimit-Reset`.
    /// - The same three with the prefix `X-RateLimit-`.
    /// - The same three with the prefix `X-Rate-Limit-`.
    ///
    /// If a service announces several limits, the one with the fewest requests left counts. If several limits have
    /// equally few left, the one that ends last counts. The time of a reset may be a number of seconds from now, or a
    /// time since 1970 in seconds or milliseconds.
    public init?(_ headers: HeaderFields, now: Date) {
        let families = ["RateLimit-", "X-RateLimit-", "X-Rate-Limit-"]
        guard
            let found = RateLimit(structured: headers, now: now)
                ?? families.lazy.compactMap({ RateLimit(headers, prefix: $0, now: now) }).first
        else { return nil }
        self = found
    }

    /// Reads the three headers of a family. Each of them has one of the numbers.
    private init?(_ headers: HeaderFields, prefix: String, now: Date) {
        // Some services append the period to the number: `100, 100;w=60`.
        func number(_ name: String) -> Int? {
            headers[prefix + name].flatMap { Int($0.prefix { $0 != "," && $0 != ";" }) }
        }
        limit = number("Limit")
        remaining = number("Remaining")
        resetsAt = headers[prefix + "Reset"].flatMap { RetryAfter.seconds($0, now: now) }.map(now.addingTimeInterval)
        if limit == nil, remaining == nil, resetsAt == nil { return nil }
    }

    /// Reads `RateLimit: "hour";r=0;t=30` with `RateLimit-Policy: "hour";q=100;w=3600`, or an earlier draft's
    /// `RateLimit: limit=100, remaining=0, reset=30`.
    private init?(structured headers: HeaderFields, now: Date) {
        guard let text = headers["RateLimit"] else { return nil }
        func resetsAt(_ text: String?) -> Date? {
            text.flatMap { RetryAfter.seconds($0, now: now) }.map(now.addingTimeInterval)
        }
        let items = Self.items(text)
        let policies = Self.items(headers["RateLimit-Policy"] ?? "")
        let limits = items.compactMap { item -> RateLimit? in
            guard let remaining = item.values["r"].flatMap({ Int($0) }) else { return nil }
            let policy = policies.first { $0.name == item.name }
            return RateLimit(
                limit: policy?.values["q"].flatMap { Int($0) }, remaining: remaining,
                resetsAt: resetsAt(item.values["t"]))
        }
        let nearest = limits.min {
            ($0.remaining ?? 0, $1.resetsAt ?? .distantPast) < ($1.remaining ?? 0, $0.resetsAt ?? .distantPast)
        }
        if let nearest {
            self = nearest
            return
        }
        let values = items.reduce(into: [:]) { $0.merge($1.values) { first, _ in first } }
        limit = values["limit"].flatMap { Int($0) }
        remaining = values["remaining"].flatMap { Int($0) }
        self.resetsAt = resetsAt(values["reset"])
        if limit == nil, remaining == nil, self.resetsAt == nil { return nil }
    }

    /// Returns the members of a list such as `"hour";q=100;w=3600, "day";q=1000`, with the parameters of each. The
    /// names of limits must contain neither a comma nor a semicolon.
    private static func items(_ text: String) -> [(name: Substring, values: [Substring: String])] {
        text.split(separator: ",").map { item in
            let parts = item.split(separator: ";").map { $0.drop { $0 == " " } }
            let pairs = parts.map { $0.split(separator: "=", maxSplits: 1) }.filter { $0.count == 2 }
            let values = pairs.map { ($0[0], $0[1].filter { $0 != "\"" && $0 != " " }) }
            return (parts.first ?? "", Dictionary(values) { first, _ in first })
        }
    }
}
