import Foundation

enum ZonedTime {
    /// Returns a timestamp with some digits of a second's fraction, and an offset from UTC in seconds: in UTC without
    /// one, `2024-03-02T09:11:12.131Z`, and otherwise `2024-03-02T10:11:12.131+01:00`.
    static func text(_ date: Date, digits: Int = 3, offset: Int? = nil) -> String {
        let scale = pow(10, Double(digits))
        // Rounded once as a whole, so that the fraction cannot round up to another digit.
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

    /// Returns a timestamp in whole seconds: `2024-03-02T10:11:12+01:00`.
    static func text(_ date: Date, hoursEast: Int) -> String { text(date, digits: 0, offset: hoursEast * 3_600) }

    /// Parses a timestamp; nil for anything else, including one whose `+` was decoded as a space.
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
