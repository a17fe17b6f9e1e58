import Foundation
import PledgeCoding

/// A calendar day: year, month and day, with no time zone inside.
///
/// Exist keeps one value a day, and means the day in the user's own time zone. It is the Gregorian calendar's day
/// whatever calendar the device uses, and reads and prints as `yyyy-MM-dd`.
public struct ExistDay: Hashable, Comparable, Sendable {
    /// Days since 1 January 1970.
    private let number: Int

    private init(number: Int) {
        self.number = number
    }

    /// The day with this date; nil if there is none, such as 30 February.
    public init?(year: Int, month: Int, day: Int) {
        guard let number = CalendarDay.number(year: year, month: month, day: day) else { return nil }
        self.number = number
    }

    /// The day this moment belongs to.
    ///
    /// - Parameters:
    ///   - date: a moment.
    ///   - zone: whose day; the device's unless given. For Exist's own idea of today take the zone from
    ///     ``User/timezone``.
    public init(_ date: Date, in zone: TimeZone = .current) {
        let seconds = date.timeIntervalSince1970 + Double(zone.secondsFromGMT(for: date))
        number = Int((seconds / 86_400).rounded(.down))
    }

    /// Reads `yyyy-MM-dd`, and nothing else.
    public init?(_ text: String) {
        guard let number = CalendarDay.number(text) else { return nil }
        self.number = number
    }

    /// The year of the Gregorian calendar.
    public var year: Int { CalendarDay.parts(number).year }
    /// The month, 1 to 12.
    public var month: Int { CalendarDay.parts(number).month }
    /// The day of the month, 1 to 31.
    public var day: Int { CalendarDay.parts(number).day }

    /// The day of the week.
    public var weekday: Weekday {
        // 1 January 1970 was a Thursday.
        Weekday.allCases[((number + 3) % 7 + 7) % 7]
    }

    /// The first moment of this day.
    ///
    /// - Parameter zone: where; the device's time zone unless given.
    public func date(in zone: TimeZone = .current) -> Date {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        // Where clocks skip midnight, the day begins later: noon exists everywhere, and its day has a start.
        let noon = calendar.date(from: DateComponents(year: year, month: month, day: day, hour: 12))
        return calendar.startOfDay(for: noon ?? Date(timeIntervalSince1970: Double(number) * 86_400))
    }

    /// The first moment of this day on the device.
    public var date: Date { date() }

    /// The day this many days later, or earlier.
    public func advanced(by days: Int) -> ExistDay {
        ExistDay(number: number + days)
    }

    /// How many days later the other is.
    public func distance(to other: ExistDay) -> Int {
        other.number - number
    }

    /// Earlier days come first.
    public static func < (left: ExistDay, right: ExistDay) -> Bool {
        left.number < right.number
    }

    /// A day of the week.
    public enum Weekday: String, CaseIterable, Codable, Sendable {
        /// A day of the week.
        case monday, tuesday, wednesday, thursday, friday, saturday, sunday
    }
}

extension ExistDay: Strideable {}

extension ExistDay: CustomStringConvertible {
    public var description: String { CalendarDay.text(number) }
}

extension ExistDay: Readable {
    /// `yyyy-MM-dd`
    @usableFromInline package init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        self.init(number: try source.parsed("it is not a day") { CalendarDay.number($0) })
    }
}

extension ExistDay: Codable {
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
