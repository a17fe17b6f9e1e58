import Foundation
import PledgeCoding

/// The format of timestamps in the database: UTC, always with six fractional digits, so that they sort as text.
enum TimestampColumn {
    /// Returns text such as `2026-11-20T07:30:00.123000Z`.
    static func text(_ date: Date) -> String { Timestamp.text(date, digits: 6) }

    static func date(_ text: String) -> Date? { Timestamp.parse(text)?.date }
}

/// The format of the few columns that hold JSON: equal values are always written the same way.
enum JSONColumn {
    static func text(_ value: some Encodable) -> String {
        (try? JSONEncoder.text(value)) ?? "null"
    }
}
