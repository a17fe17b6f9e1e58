import ExistKit
import Foundation

/// An account in a history that is read back as the models of its service, the reverse of a sync.
package struct StoredAccount: Sendable {
    package let history: History
    private let row: StoredRow

    /// The name of the account in the history.
    package var name: String { row.text("name") }
    /// The time its last sync began; nil if there was none.
    package var synced: Date? { row.date("synced") }
    /// The service's name for the owner.
    package var ownName: String? { row["own_name"].text }

    /// Returns the accounts of a service, sorted by name.
    package static func all(of service: String, in history: History) throws -> [StoredAccount] {
        try history.stored(
            """
            SELECT *, (SELECT started FROM sync_run WHERE account = account.id ORDER BY id DESC LIMIT 1) AS synced,
                coalesce(username, (SELECT identifier FROM participant WHERE account = account.id)) AS own_name
            FROM account WHERE service = ? ORDER BY name
            """, [.text(service)]
        ).map { StoredAccount(history: history, row: $0) }
    }

    var key: SQLValue { row["id"] }

    /// Returns rows of this account. `condition` has further SQL conditions and the order of the rows; for a table that
    /// keeps removed rows, it must exclude those.
    func rows(of table: String, _ condition: String = "", _ values: [SQLValue] = []) throws -> [StoredRow] {
        try history.stored("SELECT * FROM \(table) WHERE account = ? \(condition)", [key] + values)
    }

    /// The owner as of the last sync.
    package var user: User {
        User(
            username: row["username"].text ?? name, firstName: row.text("first_name"), lastName: row.text("last_name"),
            timezone: row.text("time_zone"), utcOffset: row["utc_offset"].integer,
            imperialDistance: row.flag("imperial_distance"), imperialWeight: row.flag("imperial_weight"),
            imperialEnergy: row.flag("imperial_energy"), imperialLiquid: row.flag("imperial_liquid"),
            imperialTemperature: row.flag("imperial_temperature"))
    }

    /// The current day in the user's time zone at the last sync, according to the service's clock.
    package var day: ExistDay? { row.day("day") }
}

/// A row that is accessed by column names.
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

extension History {
    /// Returns the service and the name of each account, sorted.
    package func accounts() throws -> [(service: Service, name: String)] {
        try query("SELECT service, name FROM account ORDER BY service, name").rows.compactMap { row in
            guard let service = row[0].text.flatMap(Service.init), let name = row[1].text else { return nil }
            return (service, name)
        }
    }

    func stored(_ sql: String, _ values: [SQLValue]) throws -> [StoredRow] {
        let result = try query(sql, values)
        let columns = Dictionary(zip(result.columns, result.columns.indices), uniquingKeysWith: { first, _ in first })
        return result.rows.map { StoredRow(columns: columns, values: $0) }
    }
}
