import Foundation
import PledgeCoding

/// Moments as the database has them: in UTC, always with six digits of a second, so that they sort as text.
enum TimestampColumn {
    /// `2026-11-20T07:30:00.123000Z`
    static func text(_ date: Date) -> String {
        let seconds = min(max(date.timeIntervalSince1970, -62_135_596_800), 253_402_300_799)
        let micros = Int((seconds * 1_000_000).rounded())
        let day = (micros >= 0 ? micros : micros - 86_399_999_999) / 86_400_000_000
        let rest = micros - day * 86_400_000_000
        func padded(_ number: Int, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        let time = [rest / 3_600_000_000, rest / 60_000_000 % 60, rest / 1_000_000 % 60].map { padded($0, 2) }
        return "\(CalendarDay.text(day))T\(time.joined(separator: ":")).\(padded(rest % 1_000_000, 6))Z"
    }

    static func date(_ text: String) -> Date? { Timestamp.parse(text)?.date }
}

/// JSON for the few columns of what has no columns, written the same every time.
enum JSONColumn {
    static func text(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }
}
