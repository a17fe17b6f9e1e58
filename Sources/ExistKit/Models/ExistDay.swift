import Foundation

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
        guard 1...9999 ~= year, 1...12 ~= month, 1...31 ~= day else { return nil }
        number = Self.number(year: year, month: month, day: day)
        guard self.month == month else { return nil }
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
        let bytes = Array(text.utf8)
        guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-") else { return nil }
        func digits(_ range: Range<Int>) -> Int? {
            var value = 0
            for byte in bytes[range] {
                guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else { return nil }
                value = value * 10 + Int(byte - UInt8(ascii: "0"))
            }
            return value
        }
        guard let year = digits(0..<4), let month = digits(5..<7), let day = digits(8..<10) else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// The year.
    public var year: Int { civil.year }
    /// The month, 1 to 12.
    public var month: Int { civil.month }
    /// The day of the month, 1 to 31.
    public var day: Int { civil.day }

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
    /// `yyyy-MM-dd`
    public var description: String {
        func padded(_ value: Int, _ width: Int) -> String {
            let digits = String(value)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        let (year, month, day) = civil
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
    }
}

extension ExistDay: Codable {
    /// Reads `yyyy-MM-dd`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let day = ExistDay(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "“\(text)” is not a day")
        }
        self = day
    }

    /// Writes `yyyy-MM-dd`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

// Civil dates by arithmetic: a formatter or calendar would cost a thousand times as much, and would ask the device for
// its calendar, its locale and its time zone, none of which has a say here. Years are counted from March, so that the
// leap day is the last one, in eras of 400 years, which all have the same length.
extension ExistDay {
    private static let daysPerEra = 146_097
    private static let daysToEpoch = 719_468

    private static func number(year: Int, month: Int, day: Int) -> Int {
        let shifted = month > 2 ? year : year - 1
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * daysPerEra + dayOfEra - daysToEpoch
    }

    private var civil: (year: Int, month: Int, day: Int) {
        let days = number + Self.daysToEpoch
        let era = (days >= 0 ? days : days - Self.daysPerEra + 1) / Self.daysPerEra
        let dayOfEra = days - era * Self.daysPerEra
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }
}
