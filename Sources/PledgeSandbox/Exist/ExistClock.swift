import Foundation

/// What time it is for the user.
struct ExistClock: Sendable {
    let now: @Sendable () -> Date
    let timeZone: TimeZone

    var today: CalendarDay {
        CalendarDay(now(), in: timeZone)
    }

    /// An instant as the profile writes it: `2024-02-29T23:58:07.046213+01:00`.
    func timestamp(_ date: Date) -> String {
        let offset = timeZone.secondsFromGMT(for: date)
        // Rounded once, on the whole, so that the fraction cannot round up to a seventh digit.
        let micros = Int((date.timeIntervalSince1970 * 1_000_000).rounded(.down)) + offset * 1_000_000
        let seconds = Int((Double(micros) / 1_000_000).rounded(.down))
        let fraction = (micros - seconds * 1_000_000).padded(to: 6)
        return "\(Self.dayAndTime(seconds)).\(fraction)\(Self.suffix(offset))"
    }

    /// A time of day of the user's as insights write it: `2024-03-02T06:05:11+01:00`.
    func timestamp(_ day: CalendarDay, secondOfDay: Int) -> String {
        let offset = timeZone.secondsFromGMT(for: instant(day, secondOfDay: secondOfDay))
        return Self.dayAndTime(day.number * 86_400 + secondOfDay) + Self.suffix(offset)
    }

    /// When it is that time of day for the user.
    func instant(_ day: CalendarDay, secondOfDay: Int) -> Date {
        let local = Date(timeIntervalSince1970: Double(day.number * 86_400 + secondOfDay))
        // The offset depends on the instant that is sought; the second guess is right except in the hour the clocks change.
        let guess = local.addingTimeInterval(-Double(timeZone.secondsFromGMT(for: local)))
        return local.addingTimeInterval(-Double(timeZone.secondsFromGMT(for: guess)))
    }

    private static func dayAndTime(_ seconds: Int) -> String {
        let day = CalendarDay(number: Int((Double(seconds) / 86_400).rounded(.down)))
        let rest = seconds - day.number * 86_400
        let parts = [rest / 3_600, rest / 60 % 60, rest % 60].map { $0.padded(to: 2) }
        return "\(day.text)T\(parts.joined(separator: ":"))"
    }

    private static func suffix(_ offset: Int) -> String {
        let minutes = abs(offset) / 60
        return "\(offset < 0 ? "-" : "+")\((minutes / 60).padded(to: 2)):\((minutes % 60).padded(to: 2))"
    }
}
