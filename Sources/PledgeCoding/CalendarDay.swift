import Foundation

/// Arithmetic for dates of the Gregorian calendar: a formatter or a calendar would take a thousand times as long, and
/// would depend on the device's calendar, locale, and time zone, none of which matters here. Years begin in March, so
/// that the leap day comes last, and are grouped into eras of 400 years, which all have the same length.
@usableFromInline package enum CalendarDay {
    private static let daysPerEra = 146_097
    private static let daysToEpoch = 719_468
    /// The days of the years 1 to 9999.
    package static let all = -719_162...2_932_896

    /// Returns the number of days since 1 January 1970, or nil if there is no such date, such as 30 February.
    package static func number(year: Int, month: Int, day: Int) -> Int? {
        guard 1...9999 ~= year, 1...12 ~= month, 1...31 ~= day else { return nil }
        if day > 28 {
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            guard month == 2 ? isLeap && day == 29 : day <= 30 + ((month ^ month >> 3) & 1) else { return nil }
        }
        // Small unsigned integers are cheaper to divide.
        let (years, months) = month > 2 ? (UInt32(year), UInt32(month - 3)) : (UInt32(year - 1), UInt32(month + 9))
        let leapDays = years / 4 - years / 100 + years / 400
        return Int(years * 365 + leapDays + (months * 153 + 2) / 5) + day - 1 - daysToEpoch
    }

    /// Returns the date that is the given number of days after 1 January 1970, in the years 1 to 9999.
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
    @usableFromInline package static func number(_ text: TextBytes) -> Int? {
        text.count == 10 ? number(startOf: text) : nil
    }

    /// Parses `yyyy-MM-dd` from the first ten bytes.
    @usableFromInline package static func number(startOf text: TextBytes) -> Int? {
        guard let (year, month, day) = text.pairs(at: 2, separator: UInt8(ascii: "-")) else { return nil }
        let thousands = text[0] &- 0x30
        let hundreds = text[1] &- 0x30
        // With other thousands, the year has more than four digits.
        guard hundreds < 10 else { return nil }
        return number(year: Int(thousands) * 1000 + Int(hundreds) * 100 + year, month: month, day: day)
    }

    /// Parses text of exactly the form `yyyy-MM-dd`.
    package static func number(_ text: some StringProtocol) -> Int? { String(text).withBytes { number($0) } }

    /// Formats a date as `yyyy-MM-dd`.
    package static func text(_ number: Int) -> String {
        String(unsafeUninitializedCapacity: 10) { write(number, to: $0) }
    }

    /// Writes a date as `yyyy-MM-dd`, digit by digit, because a batch writes millions of dates.
    package static func write(_ number: Int, to text: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let (year, month, day) = parts(number)
        write(year, 4, to: text, at: 0)
        text[4] = UInt8(ascii: "-")
        write(month, 2, to: text, at: 5)
        text[7] = UInt8(ascii: "-")
        write(day, 2, to: text, at: 8)
        return 10
    }

    /// Writes a number with the given number of digits.
    static func write(_ value: Int, _ width: Int, to text: UnsafeMutableBufferPointer<UInt8>, at index: Int) {
        var rest = UInt32(truncatingIfNeeded: value)
        for offset in (0..<width).reversed() {
            text[index + offset] = UInt8(truncatingIfNeeded: 0x30 + rest % 10)
            rest /= 10
        }
    }
}

extension TimeZone {
    /// Coordinated Universal Time. Foundation's own constant is too new for the supported platforms.
    package static let utc = TimeZone(secondsFromGMT: 0) ?? .current

    /// Creates the time zone with a name sent by a service, such as `Europe/Stockholm`. Returns nil for a malformed
    /// name, which the system might take for a path, or take long to compare with its own names.
    package init?(ofService name: String) {
        guard name.utf8.allSatisfy({ isAlphanumeric($0) || "/_+-:".utf8.contains($0) }), name.utf8.count <= 64 else {
            return nil
        }
        self.init(identifier: name)
    }
}
