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

    static func day(_ date: Date, in zone: TimeZone) -> String {
        CalendarDay.text(dayNumber(Int(date.timeIntervalSince1970.rounded(.down)) + zone.secondsFromGMT(for: date)))
    }

    /// The first moment of a day, so many days later.
    static func start(of day: String, in zone: TimeZone, plusDays days: Int = 0) -> Date? {
        guard let number = CalendarDay.number(day[...].utf8), let day = ExistDay(CalendarDay.text(number + days)) else {
            return nil
        }
        return day.date(in: zone)
    }

    private static func dayNumber(_ seconds: Int) -> Int {
        (seconds >= 0 ? seconds : seconds - 86_399) / 86_400
    }
}
