import Foundation

struct ExistClock: Sendable {
    let now: @Sendable () -> Date
    /// The user's time zones, and when each takes effect.
    private let zones: Protected<[(from: Date, zone: TimeZone)]>

    init(now: @escaping @Sendable () -> Date, timeZone: TimeZone) {
        self.now = now
        zones = Protected([(.distantPast, timeZone)])
    }

    var timeZone: TimeZone { timeZone(at: now()) }

    private func timeZone(at date: Date) -> TimeZone {
        zones.withLock { zones in (zones.last { $0.from <= date } ?? zones[0]).zone }
    }

    func move(to zone: TimeZone) {
        let now = now()
        zones.withLock { $0.append((now, zone)) }
    }

    var today: CalendarDay { CalendarDay(now(), in: timeZone) }

    /// Returns a profile's timestamp: `2024-02-29T23:58:07.046213+01:00`.
    func timestamp(_ date: Date) -> String {
        let offset = timeZone(at: date).secondsFromGMT(for: date)
        // Rounded once as a whole, so that the fraction cannot round up to a seventh digit.
        let micros = Int((date.timeIntervalSince1970 * 1_000_000).rounded(.down)) + offset * 1_000_000
        let seconds = Int((Double(micros) / 1_000_000).rounded(.down))
        let fraction = (micros - seconds * 1_000_000).padded(to: 6)
        return "\(CalendarDay.dayAndTime(seconds)).\(fraction)\(CalendarDay.zone(offset))"
    }

    /// Returns an insight's timestamp: `2024-03-02T06:05:11+01:00`.
    func timestamp(_ day: CalendarDay, secondOfDay: Int) -> String {
        let instant = instant(day, secondOfDay: secondOfDay)
        let offset = timeZone(at: instant).secondsFromGMT(for: instant)
        return CalendarDay.dayAndTime(day.number * 86_400 + secondOfDay) + CalendarDay.zone(offset)
    }

    func instant(_ day: CalendarDay, secondOfDay: Int) -> Date {
        let local = Date(timeIntervalSince1970: Double(day.number * 86_400 + secondOfDay))
        // The offset depends on the instant itself; the second guess is right, except in the hour of a clock change.
        let guess = local.addingTimeInterval(-Double(timeZone(at: local).secondsFromGMT(for: local)))
        return local.addingTimeInterval(-Double(timeZone(at: guess).secondsFromGMT(for: guess)))
    }
}
