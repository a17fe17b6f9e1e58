import ExistKit
import Foundation
import PledgeCoding

/// A row whose values are accessed by the names of their columns.
struct StoredRow: Sendable {
    let columns: [String: Int]
    let values: [SQLValue]

    subscript(_ column: String) -> SQLValue { columns[column].map { values[$0] } ?? .null }

    func text(_ column: String) -> String { self[column].text ?? "" }
    func integer(_ column: String) -> Int { self[column].integer ?? 0 }
    func flag(_ column: String) -> Bool { self[column] == 1 }
    func day(_ column: String) -> ExistDay? { self[column].text.flatMap { ExistDay($0) } }
    func date(_ column: String) -> Date? { self[column].text.flatMap { TimestampColumn.date($0) } }
}

/// The format of timestamps in the database. All are in UTC and have six fractional digits, so that sorting them as
/// text sorts them by time.
enum TimestampColumn {
    /// Returns text such as `2026-11-20T07:30:00.123000Z`.
    static func text(_ date: Date) -> String { Timestamp.text(date, digits: 6) }

    static func date(_ text: String) -> Date? { Timestamp.parse(text)?.date }
}

/// The format of the few columns that contain JSON. Equal values always have the same text.
enum JSONColumn {
    static func text(_ value: some Encodable) -> String {
        (try? JSONEncoder.text(value)) ?? "null"
    }

    static func value<Value: Decodable>(_ type: Value.Type, _ text: String) -> Value? {
        try? JSONDecoder().decode(type, from: Data(text.utf8))
    }
}

extension SQLValue {
    init(_ day: ExistDay?) { self = day.map { .text($0.description) } ?? .null }
    init(_ date: Date?) { self = date.map { .text(TimestampColumn.text($0)) } ?? .null }
}

extension History {
    /// Returns the rows of a query, with the names of their columns.
    func storedRows(_ sql: String, _ values: [SQLValue]) throws -> [StoredRow] {
        let result = try query(sql, values)
        let columns = Dictionary(zip(result.columns, result.columns.indices), uniquingKeysWith: { first, _ in first })
        return result.rows.map { StoredRow(columns: columns, values: $0) }
    }
}
