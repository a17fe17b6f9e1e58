import ExistKit
import Foundation
import PledgeCoding

/// Moments and days as results have them. By arithmetic: a batch writes millions, and a formatter takes a thousand times
/// as long.
enum Moments {
    static let utc = TimeZone(secondsFromGMT: 0) ?? .current

    /// `2026-11-20T07:30:00Z`
    static func text(_ date: Date) -> String {
        let seconds = Int(date.timeIntervalSince1970.rounded(.down))
        let rest = seconds - dayNumber(seconds) * 86_400
        let time = [rest / 3600, rest / 60 % 60, rest % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return "\(CalendarDay.text(dayNumber(seconds)))T\(time.joined(separator: ":"))Z"
    }

    /// What ``text(_:)`` made.
    static func date(_ text: String) -> Date? {
        let parts = text.split(whereSeparator: { "TZ:".contains($0) })
        guard parts.count == 4, let day = ExistDay(String(parts[0])), let hour = Int(parts[1]),
            let minute = Int(parts[2]), let second = Int(parts[3])
        else { return nil }
        return day.date(in: utc).addingTimeInterval(Double(hour * 3600 + minute * 60 + second))
    }

    static func day(_ date: Date, in zone: TimeZone) -> String {
        CalendarDay.text(dayNumber(Int(date.timeIntervalSince1970.rounded(.down)) + zone.secondsFromGMT(for: date)))
    }

    private static func dayNumber(_ seconds: Int) -> Int {
        (seconds >= 0 ? seconds : seconds - 86_399) / 86_400
    }
}
