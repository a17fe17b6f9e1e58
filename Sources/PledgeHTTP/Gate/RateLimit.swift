import Foundation
import PledgeCoding

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
        resetsAt = number("RateLimit-Reset").map { now.addingTimeInterval(min(max(TimeInterval($0), 0), 1e9)) }
        if limit == nil, remaining == nil, resetsAt == nil { return nil }
    }
}

/// The delay a service requests in a response.
package enum RetryAfter {
    /// Returns the seconds of `Retry-After` (a number or a date), or else, for a 429, those of `RateLimit-Reset`.
    package static func seconds(in reply: HTTPReply, now: Date) -> TimeInterval? {
        if let text = reply.headers["Retry-After"] {
            if let seconds = Int(text) { return bounded(TimeInterval(seconds)) }
            if let date = HTTPDate.parse(text) { return bounded(date.timeIntervalSince(now)) }
        }
        guard reply.status == 429, let text = reply.headers["RateLimit-Reset"], let seconds = Int(text) else {
            return nil
        }
        return bounded(TimeInterval(seconds))
    }

    /// Whatever a server sends, no wait is negative or longer than a lifetime.
    private static func bounded(_ seconds: TimeInterval) -> TimeInterval { min(max(seconds, 0), 1e9) }
}

/// Dates such as `Sun, 06 Nov 1994 08:49:37 GMT`, the only format that HTTP allows a server to send.
enum HTTPDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    static func parse(_ text: String) -> Date? {
        let parts = text.split(whereSeparator: { " ,:-".contains($0) }).map(String.init)
        guard parts.count == 8, parts[7] == "GMT", let day = Int(parts[1]), let month = months.firstIndex(of: parts[2]),
            let year = Int(parts[3]), let hour = Int(parts[4]), let minute = Int(parts[5]), let second = Int(parts[6]),
            0..<24 ~= hour, 0..<60 ~= minute, 0...60 ~= second,
            let days = CalendarDay.number(year: year, month: month + 1, day: day)
        else { return nil }
        return Date(timeIntervalSince1970: Double(((days * 24 + hour) * 60 + minute) * 60 + second))
    }
}
