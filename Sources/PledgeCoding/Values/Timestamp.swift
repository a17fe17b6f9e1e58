import Foundation

/// Parses a service's timestamps, with 0 to 9 fractional digits and any UTC offset: `2024-03-02T06:05:11.5+01:00`.
@usableFromInline package enum Timestamp {
    /// Returns the date and its UTC offset in seconds, nil if none is written, as in UTC; nil for any other text.
    package static func parse(_ text: String) -> (date: Date, offset: Int?)? {
        text.withBytes { parse($0) }
    }

    /// Parses a timestamp from bytes. Also returns nil if an offset is needed but missing.
    @usableFromInline package static func parse(
        _ text: TextBytes, needsOffset: Bool = false
    ) -> (date: Date, offset: Int?)? {
        guard let day = CalendarDay.number(startOf: text) else { return nil }
        var rest = Rest(text: text)
        guard rest.skip("T", "t") || rest.skip(" ", " ") else { return nil }
        let (hour, minute, second): (Int, Int, Int)
        if let time = text.pairs(at: 11, separator: UInt8(ascii: ":")) {
            (hour, minute, second) = time
            rest.index = 19
        } else {
            guard let hours = rest.number(2), rest.skip(":", ":"), let minutes = rest.number(2) else { return nil }
            (hour, minute, second) = (hours, minutes, 0)
        }
        // 60 is a leap second, which counts as the next second.
        guard hour < 24, minute < 60, second <= 60 else { return nil }
        var (fraction, unit) = (0, 1)
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

    /// The part of the text after the date.
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
