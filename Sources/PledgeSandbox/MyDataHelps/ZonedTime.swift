import Foundation

enum ZonedTime {
    /// Returns a UTC timestamp with milliseconds: `2024-03-02T09:11:12.131Z`.
    static func text(_ date: Date) -> String {
        let milliseconds = Int((date.timeIntervalSince1970 * 1_000).rounded())
        let seconds = Int((Double(milliseconds) / 1_000).rounded(.down))
        return "\(CalendarDay.dayAndTime(seconds)).\((milliseconds - seconds * 1_000).padded(to: 3))Z"
    }

    /// Returns a timestamp in whole seconds with an offset from UTC: `2024-03-02T10:11:12+01:00`.
    static func text(_ date: Date, hoursEast: Int) -> String {
        let offset = hoursEast * 3_600
        let seconds = Int(date.timeIntervalSince1970.rounded(.down)) + offset
        return CalendarDay.dayAndTime(seconds) + CalendarDay.zone(offset)
    }

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

/// IDs in the service's form, the same on every run.
enum SandboxID {
    /// The kind of record an ID belongs to. The position is part of the ID: append new cases at the end.
    enum Kind: Int {
        case point, context, task, survey, result, answer, notification, ticket, organization, person, link,
            segment
    }

    static func make(_ kind: Kind, _ number: Int) -> String {
        let digits = String(number, radix: 16)
        let tail = String(repeating: "0", count: max(0, 12 - digits.count)) + digits
        return "a1b2c3\((10 + kind.rawValue).padded(to: 2))-5a1c-4f2e-9b3d-\(tail)"
    }
}
