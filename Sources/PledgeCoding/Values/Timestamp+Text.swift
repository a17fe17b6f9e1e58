import Foundation

extension Timestamp {
    /// Returns the seconds since 1970 of the moment in the years 1 to 9999 that is nearest to a date, and the first one
    /// for a date that is not a number.
    package static func seconds(_ date: Date) -> Double {
        let seconds = date.timeIntervalSince1970
        return seconds > first ? min(seconds, 253_402_300_799) : first
    }

    private static let first = -62_135_596_800.0

    /// Formats a date with its offset from UTC in seconds, and with milliseconds or microseconds if it has any, such as
    /// `2024-03-02T10:11:12.131+01:00`.
    package static func text(_ date: Date, offset: Int) -> String {
        let seconds = seconds(date)
        let fraction = Int(((seconds - seconds.rounded(.down)) * 1e6).rounded()) % 1_000_000
        let digits = fraction == 0 ? 0 : fraction % 1000 == 0 ? 3 : 6
        // Half a microsecond more, so that one beyond the last digit is not cut off.
        let text = text(date.addingTimeInterval(Double(offset) + (digits == 0 ? 5e-7 : 0)), digits: digits)
        guard offset != 0 else { return text }
        let (hours, minutes) = (abs(offset) / 60).quotientAndRemainder(dividingBy: 60)
        let zone = [hours, minutes].map { NumberText.digits($0, atLeast: 2) }.joined(separator: ":")
        return "\(text.dropLast())\(offset < 0 ? "-" : "+")\(zone)"
    }

    /// Formats a date in UTC, such as `2024-03-02T09:11:12.131Z`, with the given number of fractional digits. A date
    /// beyond the years 1 to 9999 is written as the first or last moment of that range.
    package static func text(_ date: Date, digits: Int = 0) -> String {
        let seconds = seconds(date)
        var (second, fraction) = (Int(seconds.rounded(.down)), 0)
        if digits > 0 {
            let unit = NumberText.power(of: digits)
            // Rounded, as a date parsed from text can lie slightly off its millisecond; and without the whole seconds,
            // with which a product of more than six digits would not be exact.
            fraction = Int(((seconds - seconds.rounded(.down)) * Double(unit)).rounded())
            if fraction == unit { (second, fraction) = (second + 1, 0) }
        }
        let day = (second >= 0 ? second : second - 86_399) / 86_400
        let time = second - day * 86_400
        let end = digits == 0 ? 9 : 10 + digits
        return CalendarDay.text(day)
            + String(unsafeUninitializedCapacity: end + 1) { text in
                text[0] = UInt8(ascii: "T")
                CalendarDay.write(time / 3600, 2, to: text, at: 1)
                text[3] = UInt8(ascii: ":")
                CalendarDay.write(time / 60 % 60, 2, to: text, at: 4)
                text[6] = UInt8(ascii: ":")
                CalendarDay.write(time % 60, 2, to: text, at: 7)
                if digits > 0 {
                    text[9] = UInt8(ascii: ".")
                    CalendarDay.write(fraction, digits, to: text, at: 10)
                }
                text[end] = UInt8(ascii: "Z")
                return end + 1
            }
    }
}
