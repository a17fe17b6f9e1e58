import ExistKit
import Foundation

/// An account in a history, to be read back as the models of its service: the other way of what a sync does.
package struct StoredAccount: Sendable {
    package let history: History
    private let row: StoredRow

    /// What it is called there.
    package var name: String { row.text("name") }
    /// When its last sync began; nil if there was none.
    package var synced: Date? { row.date("synced") }
    /// What the service calls its owner.
    package var ownName: String? { row["own_name"].text }

    /// The accounts of a service, by name.
    package static func all(of service: String, in history: History) throws -> [StoredAccount] {
        try history.stored(
            """
            SELECT *, (SELECT max(started) FROM sync_run WHERE account = account.id) AS synced,
                coalesce(username, (SELECT identifier FROM participant WHERE account = account.id)) AS own_name
            FROM account WHERE service = ? ORDER BY name
            """, [.text(service)]
        ).map { StoredAccount(history: history, row: $0) }
    }

    var key: SQLValue { row["id"] }

    /// Rows of what this account has in a table.
    ///
    /// - Parameter condition: what else has to hold, and in which order they come.
    func rows(of table: String, _ condition: String = "", _ values: [SQLValue] = []) throws -> [StoredRow] {
        try history.stored("SELECT * FROM \(table) WHERE account = ? \(condition)", [key] + values)
    }

    /// The owner, as the last sync found them.
    package var user: User {
        User(
            username: row["username"].text ?? name, firstName: row.text("first_name"), lastName: row.text("last_name"),
            timezone: row.text("time_zone"), utcOffset: row["utc_offset"].integer,
            imperialDistance: row.flag("imperial_distance"), imperialWeight: row.flag("imperial_weight"),
            imperialEnergy: row.flag("imperial_energy"), imperialLiquid: row.flag("imperial_liquid"),
            imperialTemperature: row.flag("imperial_temperature"))
    }

    /// The day it was where the user is, by the service's clock, when it was last synced.
    package var day: ExistDay? { row.day("day") }
}

/// A row by the names of its columns.
struct StoredRow: Sendable {
    let places: [String: Int]
    let values: [SQLValue]

    subscript(_ column: String) -> SQLValue { places[column].map { values[$0] } ?? .null }

    func text(_ column: String) -> String { self[column].text ?? "" }
    func flag(_ column: String) -> Bool { self[column] == 1 }
    func day(_ column: String) -> ExistDay? { self[column].text.flatMap { ExistDay($0) } }
    func date(_ column: String) -> Date? { self[column].text.flatMap { TimestampColumn.date($0) } }
}

extension History {
    func stored(_ sql: String, _ values: [SQLValue]) throws -> [StoredRow] {
        let answer = try query(sql, values)
        let places = Dictionary(zip(answer.columns, answer.columns.indices), uniquingKeysWith: { first, _ in first })
        return answer.rows.map { StoredRow(places: places, values: $0) }
    }
}
