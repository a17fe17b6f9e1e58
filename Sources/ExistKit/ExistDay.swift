import Foundation
import PledgeCoding
import PledgeHTTP

/// A calendar day without a time zone, written as `yyyy-MM-dd`.
///
/// It is always a day of the Gregorian calendar, even if the device uses another calendar. Exist stores one value of an
/// attribute per day. A day begins and ends according to the user's own time zone.
public struct ExistDay: Hashable, Comparable, Sendable {
    /// The number of days since January 1, 1970.
    package let number: Int

    /// Creates the day with this number. If the day is outside the years 1 to 9999, creates the first or last day of
    /// these years.
    private init(nearest number: Int) {
        self.number = min(max(number, DayNumber.all.lowerBound), DayNumber.all.upperBound)
    }

    /// Creates a day from its components, or returns nil if there is no such day, such as February 30.
    public init?(year: Int, month: Int, day: Int) {
        guard let number = DayNumber.of(year: year, month: month, day: day) else { return nil }
        self.number = number
    }

    /// Creates the day that contains a date. If the date is outside the years 1 to 9999, creates the first or last day
    /// of these years.
    ///
    /// - Parameters:
    ///   - date: The date to convert.
    ///   - zone: The time zone in which to determine the day. The default is the device's time zone. Exist itself uses
    ///     the time zone in ``User/timezone``.
    public init(_ date: Date, in zone: TimeZone = .current) {
        let seconds = Timestamp.seconds(date)
        let offset = zone.secondsFromGMT(for: Date(timeIntervalSince1970: seconds))
        self.init(nearest: Int(((seconds + Double(offset)) / 86_400).rounded(.down)))
    }

    /// The current day in the device's time zone. Exist uses the user's time zone instead: see ``User/today``.
    public static var today: ExistDay { ExistDay(Date()) }

    /// Creates a day from a text of the form `yyyy-MM-dd`, or returns nil if the text has another form.
    public init?(_ text: String) {
        guard let number = DayNumber.parse(text) else { return nil }
        self.number = number
    }

    /// The year in the Gregorian calendar.
    public var year: Int { DayNumber.parts(number).year }
    /// The month, from 1 to 12.
    public var month: Int { DayNumber.parts(number).month }
    /// The day of the month, from 1 to 31.
    public var day: Int { DayNumber.parts(number).day }

    /// The day of the week.
    public var weekday: Weekday {
        // January 1, 1970 was a Thursday.
        Weekday.allCases[((number + 3) % 7 + 7) % 7]
    }

    /// Returns the first moment of the day in a time zone, by default the device's.
    public func date(in zone: TimeZone = .current) -> Date {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        // A clock change may skip midnight, so that the day begins later. Noon exists on every day, so this code first
        // finds noon, and then the start of the day that contains noon.
        let noon = calendar.date(from: DateComponents(year: year, month: month, day: day, hour: 12))
        return calendar.startOfDay(for: noon ?? .distantPast)
    }

    /// The first moment of the day in the device's time zone.
    public var date: Date { date() }

    /// Returns the day that is the given number of days after this day. A negative number gives an earlier day. The
    /// result stays within the years 1 to 9999.
    public func advanced(by days: Int) -> ExistDay {
        let (sum, isBeyond) = number.addingReportingOverflow(days)
        return ExistDay(nearest: isBeyond ? (days < 0 ? .min : .max) : sum)
    }

    /// Returns the number of days from this day to another day. It is negative if the other day is earlier.
    public func distance(to other: ExistDay) -> Int {
        other.number - number
    }

    /// A day of the week.
    public enum Weekday: String, CaseIterable, Codable, Sendable {
        /// A day of the week.
        case monday, tuesday, wednesday, thursday, friday, saturday, sunday
    }
}

extension ExistDay: Strideable {}

extension ExistDay: QueryValue {}

extension ExistDay: CustomStringConvertible {
    public var description: String { DayNumber.text(number) }
}

extension ExistDay: Readable {
    /// Decodes a day of the form `yyyy-MM-dd`, or the day of a timestamp. The day of a timestamp is taken as it is
    /// written, without regard to the UTC offset.
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        var hasTime = false
        number = try source.parsed("it is not a day") { text in
            if let number = DayNumber.parse(text) { return number }
            hasTime = true
            return Timestamp.parse(text) == nil ? nil : DayNumber.parse(prefixOf: text)
        }
        if hasTime { source.remark("a day was sent with a time of day, which was ignored") }
    }
}

extension TapeFields {
    /// Returns the day in a field; nil if the field is missing, empty, or invalid.
    mutating func day(_ name: StaticString) -> ExistDay? {
        optional(name) { (value) throws(TapeFailure) in try ExistDay(reading: value) }
    }
}

extension ExistDay: Codable {
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
