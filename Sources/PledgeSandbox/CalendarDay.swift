import Foundation

/// A Gregorian day, as the number of days since January 1, 1970, independent of any time zone.
struct CalendarDay: Hashable, Comparable, Sendable {
    let number: Int

    init(number: Int) {
        self.number = number
    }

    init(_ date: Date, in timeZone: TimeZone) {
        let seconds = date.timeIntervalSince1970 + Double(timeZone.secondsFromGMT(for: date))
        number = Int((seconds / 86_400).rounded(.down))
    }

    /// Parses `yyyy-MM-dd`; nil for anything else and for days that do not exist.
    init?(_ text: String) {
        let numbers = text.split(separator: "-").compactMap { Int32($0) }
        guard numbers.count == 3 else { return nil }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (numbers[0] - 1900, numbers[1] - 1, numbers[2])
        number = timegm(&parts) / 86_400
        // February 30 is computed as March 1 or 2, which differs from the text.
        guard self.text == text else { return nil }
    }

    var text: String {
        let (year, month, day) = civil
        return "\(year.padded(to: 4))-\(month.padded(to: 2))-\(day.padded(to: 2))"
    }

    /// The components as the system computes them, independently of the clients under test.
    var civil: (year: Int, month: Int, day: Int) {
        var (seconds, parts) = (time_t(number * 86_400), tm())
        gmtime_r(&seconds, &parts)
        return (Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday))
    }

    /// The weekday, from 0 for Sunday to 6 for Saturday.
    var weekday: Int { ((number + 4) % 7 + 7) % 7 }

    var weekdayName: String { ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"][weekday] }

    static func - (day: CalendarDay, days: Int) -> CalendarDay { CalendarDay(number: day.number - days) }
    static func + (day: CalendarDay, days: Int) -> CalendarDay { CalendarDay(number: day.number + days) }
    static func < (one: CalendarDay, other: CalendarDay) -> Bool { one.number < other.number }
}

extension Int {
    func padded(to width: Int) -> String {
        let digits = String(self)
        return String(repeating: "0", count: Swift.max(0, width - digits.count)) + digits
    }
}
