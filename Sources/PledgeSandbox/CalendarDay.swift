import Foundation

/// A day of the Gregorian calendar, as the number of days since 1 January 1970, independent of any time zone.
struct CalendarDay: Hashable, Comparable, Sendable {
    let number: Int

    init(number: Int) {
        self.number = number
    }

    /// Creates the day of an instant in a time zone.
    init(_ date: Date, in timeZone: TimeZone) {
        let seconds = date.timeIntervalSince1970 + Double(timeZone.secondsFromGMT(for: date))
        number = Int((seconds / 86_400).rounded(.down))
    }

    /// Parses `yyyy-MM-dd`; `nil` for anything else and for days that do not exist.
    init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [4, 2, 2] else { return nil }
        let numbers = parts.compactMap { part in
            part.utf8.allSatisfy { (48...57).contains($0) } ? Int(part) : nil
        }
        guard numbers.count == 3, (1...12).contains(numbers[1]) else { return nil }
        number = Self.number(year: numbers[0], month: numbers[1], day: numbers[2])
        // The 30th of February is computed as the 1st or 2nd of March, which differs from the text.
        guard self.text == text else { return nil }
    }

    /// The day as `yyyy-MM-dd`.
    var text: String {
        let (year, month, day) = civil
        return "\(year.padded(to: 4))-\(month.padded(to: 2))-\(day.padded(to: 2))"
    }

    /// Returns the local date and time for a number of seconds since 1970 in local time: `2024-03-02T06:05:11`.
    static func dayAndTime(_ seconds: Int) -> String {
        let day = CalendarDay(number: Int((Double(seconds) / 86_400).rounded(.down)))
        let rest = seconds - day.number * 86_400
        let parts = [rest / 3_600, rest / 60 % 60, rest % 60].map { $0.padded(to: 2) }
        return "\(day.text)T\(parts.joined(separator: ":"))"
    }

    /// The weekday, from 0 for Sunday to 6 for Saturday.
    var weekday: Int {
        let remainder = (number + 4) % 7
        return remainder < 0 ? remainder + 7 : remainder
    }

    /// The name of the weekday, `Sunday` to `Saturday`.
    var weekdayName: String {
        ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"][weekday]
    }

    /// This day if it is a Sunday, otherwise the previous Sunday.
    var latestSunday: CalendarDay {
        self - weekday
    }

    static func - (day: CalendarDay, days: Int) -> CalendarDay {
        CalendarDay(number: day.number - days)
    }

    static func + (day: CalendarDay, days: Int) -> CalendarDay {
        CalendarDay(number: day.number + days)
    }

    static func < (one: CalendarDay, other: CalendarDay) -> Bool {
        one.number < other.number
    }
}

extension CalendarDay {
    /// The year, month, and day, computed in eras of 400 years that begin on 1 March, so that a leap day ends its year.
    var civil: (year: Int, month: Int, day: Int) {
        let shifted = number + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }

    private static func number(year: Int, month: Int, day: Int) -> Int {
        let marchYear = month <= 2 ? year - 1 : year
        let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
        let yearOfEra = marchYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}

extension Int {
    /// Returns the digits, padded with leading zeros.
    func padded(to width: Int) -> String {
        let digits = String(self)
        return String(repeating: "0", count: Swift.max(0, width - digits.count)) + digits
    }
}
