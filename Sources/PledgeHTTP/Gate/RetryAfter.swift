import Foundation
import PledgeCoding

/// The delay a service requests in a response.
package enum RetryAfter {
    /// Returns the seconds of `Retry-After` (a number or a date), or else, for a response that refuses a request because
    /// of a limit, those until the limit that it announces ends.
    package static func seconds(in response: RawResponse, _ announced: RateLimit?, now: Date) -> TimeInterval? {
        if let text = response.headers["Retry-After"] {
            if let seconds = seconds(text, now: now) { return seconds }
            if let date = HTTPDate.parse(text, now: now) { return bounded(date.timeIntervalSince(now)) }
        }
        let isLimit = response.status == 429 || response.status == 403 && announced?.remaining == 0
        return isLimit ? (announced?.resetsAt).map { bounded($0.timeIntervalSince(now)) } : nil
    }

    /// Returns a number of seconds; nil for other text. A number of decades is taken for a time, in seconds or
    /// milliseconds since 1970, which some services send.
    static func seconds(_ text: String, now: Date) -> TimeInterval? {
        let digits = text.utf8.allSatisfy { 0x30...0x39 ~= $0 || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
        guard digits, let number = Double(text) else { return nil }
        guard number >= longest else { return bounded(number) }
        return bounded((number < longest * 1000 ? number : number / 1000) - now.timeIntervalSince1970)
    }

    /// Three decades, which is longer than any wait.
    private static let longest: TimeInterval = 1e9

    /// Returns a wait that is neither negative nor longer than ``longest``, whatever a server sends.
    private static func bounded(_ seconds: TimeInterval) -> TimeInterval { min(max(seconds, 0), longest) }
}

/// Dates such as `Sun, 06 Nov 1994 08:49:37 GMT`, and the two older forms that HTTP requires a client to accept:
/// `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`.
enum HTTPDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    /// The names of UTC in such dates, of which only the first is correct.
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
            CalendarDay.number(year: year, month: month + 1, day: day).map {
                Date(timeIntervalSince1970: Double((($0 * 24 + hour) * 60 + minute) * 60 + second))
            }
        }
        guard parts[3].utf8.count == 2 else { return date(in: written) }
        // A two-digit year is the latest such year that is not more than 50 years ahead (RFC 9110, 5.6.7).
        let latest = now.addingTimeInterval(50 * 365.25 * 86_400)
        return [2000, 1900].compactMap { date(in: $0 + written) }.first { $0 <= latest }
    }
}
