import Foundation
import PledgeCoding

/// The wait that a service asks for in a response.
package enum RetryAfter {
    /// Returns the number of seconds that the header `Retry-After` specifies, as a number or as a date. Without the
    /// header, returns the number of seconds until the announced limit ends, but only if that limit is the reason why
    /// the service refused the request.
    package static func seconds(in response: RawResponse, _ announced: RateLimit?, now: Date) -> TimeInterval? {
        if let text = response.headers["Retry-After"] {
            if let seconds = seconds(text, now: now) { return seconds }
            if let date = HTTPDate.parse(text, now: now) { return bounded(date.timeIntervalSince(now)) }
        }
        let isLimit = response.status == 429 || response.status == 403 && announced?.remaining == 0
        return isLimit ? (announced?.resetsAt).map { bounded($0.timeIntervalSince(now)) } : nil
    }

    /// Parses a number of seconds. Returns nil for other text. Some services send a time since 1970 instead, in seconds
    /// or milliseconds. So a number that would stand for decades is read as such a time.
    static func seconds(_ text: String, now: Date) -> TimeInterval? {
        let digits = text.utf8.allSatisfy { 0x30...0x39 ~= $0 || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
        guard digits, let number = Double(text) else { return nil }
        guard number >= longest else { return bounded(number) }
        return bounded((number < longest * 1000 ? number : number / 1000) - now.timeIntervalSince1970)
    }

    /// Three decades, which is longer than any wait.
    private static let longest: TimeInterval = 1e9

    /// Returns the wait, limited to the range from 0 to ``longest``, because a server can send any number.
    private static func bounded(_ seconds: TimeInterval) -> TimeInterval { min(max(seconds, 0), longest) }
}

/// Parses dates such as `Sun, 06 Nov 1994 08:49:37 GMT`, and the two older forms that HTTP requires a client to accept:
/// `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`.
enum HTTPDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    /// The names of UTC in such dates. Only the first is correct, but the others are accepted, too.
    static let zones = ["GMT", "UTC", "Z", "+0000", "+00", "0000", "00"]

    static func parse(_ text: String, now: Date) -> Date? {
        var parts = text.split(whereSeparator: { " ,:-".contains($0) }).map(String.init)
        // The oldest form has the month before the day, the year at the end, and no zone.
        if parts.count == 7, months.contains(parts[1]) {
            parts = [parts[0], parts[2], parts[1], parts[6], parts[3], parts[4], parts[5], zones[0]]
        }
        guard parts.count == 8, zones.contains(parts[7]), let day = Int(parts[1]),
            let month = months.firstIndex(of: parts[2]), let written = Int(parts[3]), let hour = Int(parts[4]),
            let minute = Int(parts[5]), let second = Int(parts[6]),
            0..<24 ~= hour, 0..<60 ~= minute, 0...60 ~= second
        else { return nil }
        func date(in year: Int) -> Date? {
            DayNumber.of(year: year, month: month + 1, day: day).map {
                Date(timeIntervalSince1970: Double((($0 * 24 + hour) * 60 + minute) * 60 + second))
            }
        }
        guard parts[3].utf8.count == 2 else { return date(in: written) }
        // A year of two digits stands for the latest year with these digits that is at most 50 years ahead (RFC 9110,
        // 5.6.7).
        let latest = now.addingTimeInterval(50 * 365.25 * 86_400)
        return [2000, 1900].compactMap { date(in: $0 + written) }.first { $0 <= latest }
    }
}
