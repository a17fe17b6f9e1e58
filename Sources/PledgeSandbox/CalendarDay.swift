import Foundation

/// A day of the Gregorian calendar, stored as the number of days since January 1, 1970. It doesn't depend on a time
/// zone.
struct CalendarDay: Hashable, Comparable, Sendable {
    let number: Int

    init(number: Int) {
        self.number = number
    }

    init(_ date: Date, in timeZone: TimeZone) {
        let seconds = date.timeIntervalSince1970 + Double(timeZone.secondsFromGMT(for: date))
        number = Int((seconds / 86_400).rounded(.down))
    }

    /// Parses a day such as `2024-03-02`. Returns nil for any other text, and for days that do not exist.
    init?(_ text: String) {
        let numbers = text.split(separator: "-").compactMap { Int32($0) }
        guard numbers.count == 3 else { return nil }
        var parts = tm()
        parts.tm_year = numbers[0] - 1900
        parts.tm_mon = numbers[1] - 1
        parts.tm_mday = numbers[2]
        number = timegm(&parts) / 86_400
        // A day that doesn't exist becomes another day. For example, February 30 becomes March 1 or 2, which differs
        // from the text.
        guard self.text == text else { return nil }
    }

    var text: String {
        let (year, month, day) = civil
        return "\(year.padded(to: 4))-\(month.padded(to: 2))-\(day.padded(to: 2))"
    }

    /// The year, month, and day. The C library computes them. If the sandbox used the calendar code of the clients
    /// instead, tests couldn't notice a mistake in that code.
    var civil: (year: Int, month: Int, day: Int) {
        var seconds = time_t(number * 86_400)
        var parts = tm()
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

enum ZonedTime {
    /// Returns a timestamp whose seconds have a fraction of `digits` digits. `offset` is the offset from UTC in
    /// seconds. Without an offset, the timestamp is in UTC, in the form `2024-03-02T09:11:12.131Z`. With an offset of
    /// one hour, it is in the form `2024-03-02T10:11:12.131+01:00`.
    static func text(_ date: Date, digits: Int = 3, offset: Int? = nil) -> String {
        let scale = pow(10, Double(digits))
        // The time is rounded once, before the fraction is split off. If the fraction were rounded alone, it could be
        // rounded up to a whole second.
        let units =
            (date.timeIntervalSince1970 * scale).rounded(digits == 0 ? .down : .toNearestOrAwayFromZero) + Double(
                offset ?? 0) * scale
        let seconds = (units / scale).rounded(.down)
        let day = CalendarDay(number: Int((seconds / 86_400).rounded(.down)))
        let rest = Int(seconds) - day.number * 86_400
        let time = [rest / 3_600, rest / 60 % 60, rest % 60].map { $0.padded(to: 2) }.joined(separator: ":")
        let fraction = digits == 0 ? "" : "." + Int(units - seconds * scale).padded(to: digits)
        return "\(day.text)T\(time)\(fraction)\(offset.map(zone) ?? "Z")"
    }

    private static func zone(_ offset: Int) -> String {
        let minutes = abs(offset) / 60
        return "\(offset < 0 ? "-" : "+")\((minutes / 60).padded(to: 2)):\((minutes % 60).padded(to: 2))"
    }

    /// Returns a timestamp in whole seconds, such as `2024-03-02T10:11:12+01:00`.
    static func text(_ date: Date, hoursEast: Int) -> String { text(date, digits: 0, offset: hoursEast * 3_600) }

    /// Parses a timestamp. Returns nil for any other text, for example if the `+` of a timestamp was decoded as a
    /// space.
    static func parse(_ text: String) -> Date? {
        guard text.utf8.count >= 20, let day = CalendarDay(String(text.prefix(10))) else { return nil }
        let rest = text.dropFirst(10)
        guard rest.first == "T", let zone = rest.lastIndex(where: { "Z+-".contains($0) }) else { return nil }
        let clock = rest[rest.index(after: rest.startIndex)..<zone].split(separator: ":")
        guard clock.count == 3, let hour = Int(clock[0]), let minute = Int(clock[1]), let second = Double(clock[2]),
            let offset = offset(rest[zone...])
        else { return nil }
        let seconds = day.number * 86_400 + hour * 3_600 + minute * 60 - offset
        return Date(timeIntervalSince1970: Double(seconds) + second)
    }

    private static func offset(_ text: Substring) -> Int? {
        if text == "Z" { return 0 }
        let digits = text.dropFirst().filter { $0 != ":" }
        guard digits.count == 4, let number = Int(digits) else { return nil }
        return (number / 100 * 3_600 + number % 100 * 60) * (text.first == "-" ? -1 : 1)
    }
}
