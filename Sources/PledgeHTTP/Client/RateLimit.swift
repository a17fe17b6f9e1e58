import Foundation
import PledgeCoding

/// How many requests a service allows, as it announced with its last reply.
public struct RateLimit: Sendable, Equatable {
    /// How many in a period; nil if the service did not say.
    public var limit: Int?
    /// How many are left in this period; nil if the service did not say.
    public var remaining: Int?
    /// When the next period begins; nil if the service did not say.
    public var resetsAt: Date?

    /// Makes a limit by hand, for tests.
    public init(limit: Int?, remaining: Int?, resetsAt: Date?) {
        self.limit = limit
        self.remaining = remaining
        self.resetsAt = resetsAt
    }

    /// What `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset` say; nil if none is there.
    public init?(_ headers: HeaderFields, now: Date) {
        func number(_ name: String) -> Int? { headers[name].flatMap { Int($0) } }
        limit = number("RateLimit-Limit")
        remaining = number("RateLimit-Remaining")
        resetsAt = number("RateLimit-Reset").map { now.addingTimeInterval(min(max(TimeInterval($0), 0), 1e9)) }
        if limit == nil, remaining == nil, resetsAt == nil { return nil }
    }
}

/// The wait a service asks for in a reply.
package enum AskedWait {
    /// Seconds, from `Retry-After` (a number or a date), else from `RateLimit-Reset` once nothing remains.
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

    /// Whatever a server writes, no wait is negative, or longer than anyone lives.
    private static func bounded(_ seconds: TimeInterval) -> TimeInterval { min(max(seconds, 0), 1e9) }
}

/// `Sun, 06 Nov 1994 08:49:37 GMT`, the only form of date that HTTP lets a server send.
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
