import Foundation

struct ExistClock: Sendable {
    let now: @Sendable () -> Date
    private let home: TimeZone
    /// The user's later time zones, and when each takes effect.
    private let zones = Protected<[(from: Date, zone: TimeZone)]>([])

    init(now: @escaping @Sendable () -> Date, timeZone: TimeZone) { (self.now, home) = (now, timeZone) }

    var timeZone: TimeZone { timeZone(at: now()) }

    private func timeZone(at date: Date) -> TimeZone {
        zones.withLock { zones in zones.last { $0.from <= date } }?.zone ?? home
    }

    func move(to zone: TimeZone) {
        let now = now()
        zones.withLock { $0.append((now, zone)) }
    }

    var today: CalendarDay { CalendarDay(now(), in: timeZone) }

    /// Returns a timestamp in the user's time zone then; profiles have six digits of the fraction, insights none.
    func timestamp(_ date: Date, digits: Int) -> String {
        ZonedTime.text(date, digits: digits, offset: timeZone(at: date).secondsFromGMT(for: date))
    }

    func instant(_ day: CalendarDay, secondOfDay: Int) -> Date {
        let local = Date(timeIntervalSince1970: Double(day.number * 86_400 + secondOfDay))
        // The offset depends on the instant itself; the second guess is right, except in the hour of a clock change.
        let guess = local.addingTimeInterval(-Double(timeZone(at: local).secondsFromGMT(for: local)))
        return local.addingTimeInterval(-Double(timeZone(at: guess).secondsFromGMT(for: guess)))
    }
}
