import Foundation
import PledgeCoding

/// Moments as the database has them: in UTC, always with six digits of a second, so that they sort as text.
enum TimestampColumn {
    /// `2026-11-20T07:30:00.123000Z`
    static func text(_ date: Date) -> String { Timestamp.text(date, digits: 6) }

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
