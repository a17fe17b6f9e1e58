import Foundation

/// Parses and formats timestamps such as `2024-03-02T06:05:11.5+01:00`. They may have up to nine fractional digits and
/// any offset from UTC.
@usableFromInline package enum Timestamp {
    /// Parses a timestamp. Returns nil if the text is not a timestamp. The result includes the offset from UTC in
    /// seconds. If the text has no offset, the offset is nil, and the time is read as UTC.
    package static func parse(_ text: String) -> (date: Date, offset: Int?)? {
        text.withBytes { parse($0) }
    }

    /// Parses a timestamp from bytes. If `needsOffset` is true, returns nil for a timestamp without an offset.
    @usableFromInline package static func parse(
        _ text: TextBytes, needsOffset: Bool = false
    ) -> (date: Date, offset: Int?)? {
        guard let day = DayNumber.parse(prefixOf: text) else { return nil }
        var rest = Rest(text: text)
        guard rest.skip("T", "t") || rest.skip(" ", " ") else { return nil }
        let (hour, minute, second): (Int, Int, Int)
        if let time = text.pairs(at: 11, separator: UInt8(ascii: ":")) {
            (hour, minute, second) = time
            rest.index = 19
        } else {
            guard let hours = rest.number(2), rest.skip(":", ":"), let minutes = rest.number(2) else { return nil }
            hour = hours
            minute = minutes
            second = 0
        }
        // The second 60 is a leap second. It counts as the first second of the next minute.
        guard hour < 24, minute < 60, second <= 60 else { return nil }
        var fraction = 0
        var unit = 1
        if rest.skip(".", ",") {
            while rest.index < text.count, unit < 1_000_000_000, text[rest.index] &- 0x30 < 10 {
                fraction = fraction * 10 + Int(text[rest.index] &- 0x30)
                unit *= 10
                rest.index += 1
            }
            guard unit > 1 else { return nil }
        }
        var offset: Int? = 0
        let isWest = rest.skip("-", "-")
        if isWest || rest.skip("+", "+") {
            guard let hours = rest.number(2), hours < 24 else { return nil }
            _ = rest.skip(":", ":")
            let minutes = rest.isAtEnd ? 0 : rest.number(2)
            guard let minutes, minutes < 60 else { return nil }
            offset = (hours * 3600 + minutes * 60) * (isWest ? -1 : 1)
        } else if !rest.skip("Z", "z") {
            guard !needsOffset else { return nil }
            offset = nil
        }
        guard rest.isAtEnd else { return nil }
        let seconds = day * 86_400 + hour * 3600 + minute * 60 + second - (offset ?? 0)
        return (Date(timeIntervalSince1970: Double(seconds) + Double(fraction) / Double(unit)), offset)
    }

    /// The part of the text that follows the date, and how much of it was read.
    private struct Rest {
        let text: TextBytes
        var index = 10

        var isAtEnd: Bool { index == text.count }

        @inline(__always)
        mutating func number(_ width: Int) -> Int? {
            guard text.count - index >= width else { return nil }
            var value = 0
            for _ in 0..<width {
                let digit = text[index] &- 0x30
                guard digit < 10 else { return nil }
                value = value * 10 + Int(digit)
                index += 1
            }
            return value
        }

        @inline(__always)
        mutating func skip(_ one: Unicode.Scalar, _ other: Unicode.Scalar) -> Bool {
            guard index < text.count else { return false }
            let isThere = text[index] == UInt8(ascii: one) || text[index] == UInt8(ascii: other)
            if isThere { index += 1 }
            return isThere
        }
    }
}

extension Timestamp {
    /// Returns the number of seconds from 1970 to a date. A date outside the years 1 to 9999 counts as the first or the
    /// last moment of that range. A date that is not a number counts as the first moment.
    package static func seconds(_ date: Date) -> Double {
        let seconds = date.timeIntervalSince1970
        return seconds > first ? min(seconds, 253_402_300_799) : first
    }

    private static let first = -62_135_596_800.0

    /// Formats a date with an offset from UTC, which is given in seconds: `2024-03-02T10:11:12.131+01:00`. The text has
    /// milliseconds or microseconds only if the date has any.
    package static func text(_ date: Date, offset: Int) -> String {
        let seconds = seconds(date)
        let fraction = Int(((seconds - seconds.rounded(.down)) * 1e6).rounded()) % 1_000_000
        let digits = fraction == 0 ? 0 : fraction % 1000 == 0 ? 3 : 6
        // Adds half a microsecond so that rounding doesn't drop the last digit.
        let text = text(date.addingTimeInterval(Double(offset) + (digits == 0 ? 5e-7 : 0)), digits: digits)
        guard offset != 0 else { return text }
        let (hours, minutes) = (abs(offset) / 60).quotientAndRemainder(dividingBy: 60)
        let zone = [hours, minutes].map { NumberText.digits($0, atLeast: 2) }.joined(separator: ":")
        return "\(text.dropLast())\(offset < 0 ? "-" : "+")\(zone)"
    }

    /// Formats a date in UTC, such as `2024-03-02T09:11:12.131Z`, with the given number of fractional digits. A date
    /// outside the years 1 to 9999 is written as the first or the last moment of that range.
    package static func text(_ date: Date, digits: Int = 0) -> String {
        let seconds = seconds(date)
        var second = Int(seconds.rounded(.down))
        var fraction = 0
        if digits > 0 {
            let unit = NumberText.power(of: digits)
            // Rounds, because a date that was parsed from a text can lie slightly off its millisecond. Only the
            // fraction is multiplied. If the whole seconds were multiplied, too, the product would not be exact for
            // more than six fractional digits.
            fraction = Int(((seconds - seconds.rounded(.down)) * Double(unit)).rounded())
            if fraction == unit { (second, fraction) = (second + 1, 0) }
        }
        let day = (second >= 0 ? second : second - 86_399) / 86_400
        let time = second - day * 86_400
        let end = digits == 0 ? 9 : 10 + digits
        return DayNumber.text(day)
            + String(unsafeUninitializedCapacity: end + 1) { text in
                text[0] = UInt8(ascii: "T")
                DayNumber.write(time / 3600, 2, to: text, at: 1)
                text[3] = UInt8(ascii: ":")
                DayNumber.write(time / 60 % 60, 2, to: text, at: 4)
                text[6] = UInt8(ascii: ":")
                DayNumber.write(time % 60, 2, to: text, at: 7)
                if digits > 0 {
                    text[9] = UInt8(ascii: ".")
                    DayNumber.write(fraction, digits, to: text, at: 10)
                }
                text[end] = UInt8(ascii: "Z")
                return end + 1
            }
    }
}
