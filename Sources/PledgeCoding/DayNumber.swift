import Foundation

/// Converts between dates of the Gregorian calendar and day numbers, which count the days since 1 January 1970.
///
/// `Calendar` and `DateFormatter` would take a thousand times as long as this arithmetic. They would also depend on the
/// device's calendar, locale, and time zone, none of which matters here.
///
/// The calculations let a year begin in March, so that the leap day is the last day of the year. They group the years
/// into eras of 400 years, because all eras have the same number of days.
@usableFromInline package enum DayNumber {
    private static let daysPerEra = 146_097
    private static let daysToEpoch = 719_468
    /// The numbers of all days in the years 1 to 9999.
    package static let all = -719_162...2_932_896

    /// Returns the number of days from 1 January 1970 to a date. Returns nil if the date does not exist, such as 30
    /// February.
    package static func of(year: Int, month: Int, day: Int) -> Int? {
        guard 1...9999 ~= year, 1...12 ~= month, 1...31 ~= day else { return nil }
        if day > 28 {
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            guard month == 2 ? isLeap && day == 29 : day <= 30 + ((month ^ month >> 3) & 1) else { return nil }
        }
        // The division uses `UInt32`, because small unsigned integers are cheaper to divide.
        let (years, months) = month > 2 ? (UInt32(year), UInt32(month - 3)) : (UInt32(year - 1), UInt32(month + 9))
        let leapDays = years / 4 - years / 100 + years / 400
        return Int(years * 365 + leapDays + (months * 153 + 2) / 5) + day - 1 - daysToEpoch
    }

    /// Returns the date that is the given number of days after 1 January 1970. The date must be in the years 1 to 9999.
    package static func parts(_ number: Int) -> (year: Int, month: Int, day: Int) {
        let days = number + daysToEpoch
        let era = days / daysPerEra
        let dayOfEra = days - era * daysPerEra
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }

    /// Parses text of exactly the form `yyyy-MM-dd`.
    @usableFromInline package static func parse(_ text: TextBytes) -> Int? {
        text.count == 10 ? parse(prefixOf: text) : nil
    }

    /// Parses a date of the form `yyyy-MM-dd` from the first ten bytes of a text.
    @usableFromInline package static func parse(prefixOf text: TextBytes) -> Int? {
        guard let (year, month, day) = text.pairs(at: 2, separator: UInt8(ascii: "-")) else { return nil }
        let thousands = text[0] &- 0x30
        let hundreds = text[1] &- 0x30
        // The first byte is not checked here: if it is not a digit, the year is above 9999, and `of` returns nil.
        guard hundreds < 10 else { return nil }
        return of(year: Int(thousands) * 1000 + Int(hundreds) * 100 + year, month: month, day: day)
    }

    /// Parses text of exactly the form `yyyy-MM-dd`.
    package static func parse(_ text: some StringProtocol) -> Int? { String(text).withBytes { parse($0) } }

    /// Formats a date as `yyyy-MM-dd`.
    package static func text(_ number: Int) -> String {
        String(unsafeUninitializedCapacity: 10) { write(number, to: $0) }
    }

    /// Writes a date as `yyyy-MM-dd`, and returns the number of bytes. The method writes each digit itself instead of
    /// using a formatter, because a batch writes millions of dates.
    package static func write(_ number: Int, to text: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let (year, month, day) = parts(number)
        write(year, 4, to: text, at: 0)
        text[4] = UInt8(ascii: "-")
        write(month, 2, to: text, at: 5)
        text[7] = UInt8(ascii: "-")
        write(day, 2, to: text, at: 8)
        return 10
    }

    /// Writes a number with exactly `width` digits at the given index.
    static func write(_ value: Int, _ width: Int, to text: UnsafeMutableBufferPointer<UInt8>, at index: Int) {
        var rest = UInt32(truncatingIfNeeded: value)
        for offset in (0..<width).reversed() {
            text[index + offset] = UInt8(truncatingIfNeeded: 0x30 + rest % 10)
            rest /= 10
        }
    }
}

extension TimeZone {
    /// Coordinated Universal Time. Foundation's own constant, `TimeZone.gmt`, is not available on all supported
    /// platforms.
    package static let utc = TimeZone(secondsFromGMT: 0) ?? .current

    /// Creates a time zone from a name that a service sent, such as `Europe/Stockholm`.
    ///
    /// Returns nil if the name has characters that no time zone's name has, or is longer than 64 bytes. The system
    /// might use such a name as a file path, or need a long time to compare it with the names that it knows.
    package init?(ofService name: String) {
        guard name.utf8.allSatisfy({ isAlphanumeric($0) || "/_+-:".utf8.contains($0) }), name.utf8.count <= 64 else {
            return nil
        }
        self.init(identifier: name)
    }
}
