import PledgeCoding

/// The progress of reading one list of an account. It is a row of the table `sync_state`.
struct SyncState: Equatable, Sendable {
    /// The point up to which the list was read. It is a day, or a timestamp from the service.
    var bookmark: String?
    /// The earliest day that was read.
    var oldest: String?
    /// The day of an attribute's first value, once it is known.
    var begins: String?
    /// Whether the list was read back to its beginning.
    var isComplete = false
    /// The page to resume at if a run was interrupted.
    var page: String?
    /// The bookmark to set after the last page has been read.
    var nextBookmark: String?
    /// The day on which a sync first found that the attribute is out of use.
    var inactive: String?
}

extension Database {
    /// Returns the states of all lists in a table, by the names of the lists.
    func states(of table: String, account: SQLValue) throws -> [ExactText: SyncState] {
        let columns = "name, bookmark, oldest, begins, is_complete, page, next_bookmark, inactive"
        let rows = try rows(
            "SELECT \(columns) FROM sync_state WHERE account = ? AND list = ?", [account, .text(table)])
        let states = rows.map { row in
            (
                ExactText(row[0].text ?? ""),
                SyncState(
                    bookmark: row[1].text, oldest: row[2].text, begins: row[3].text, isComplete: row[4] == 1,
                    page: row[5].text, nextBookmark: row[6].text, inactive: row[7].text)
            )
        }
        return Dictionary(states, uniquingKeysWith: { first, _ in first })
    }

    /// Writes the state of a list. Call this in the same transaction that writes the items of the list.
    func put(_ state: SyncState, of list: ListName, account: SQLValue) throws {
        let row: [SQLValue] = [
            account, .text(list.table), .text(list.name), SQLValue(state.bookmark), SQLValue(state.oldest),
            SQLValue(state.begins), SQLValue(state.isComplete), SQLValue(state.page), SQLValue(state.nextBookmark),
            SQLValue(state.inactive),
        ]
        _ = try put([row], into: "sync_state")
    }
}

/// The name of one of an account's lists. It identifies the state of the list, and appears in messages.
struct ListName: Hashable, CustomStringConvertible {
    let table: String
    let name: String

    init(_ table: String, _ name: String = "") { (self.table, self.name) = (table, name) }

    var description: String {
        switch table {
        case "value" where !name.isEmpty: "The values of “\(name)”"
        case "device_data_point" where !name.isEmpty: "The device data of \(name)"
        case "device_data_point_v2" where !name.isEmpty: "The device data (version 2) of \(name)"
        default: "The \(Self.titles[table] ?? table)"
        }
    }

    /// The table of the list, followed by the list's own name in parentheses if it has one.
    var label: String { name.isEmpty ? table : "\(table) (\(name))" }

    static let titles = [
        "attribute": "attributes", "value": "values", "average": "averages", "correlation": "correlations",
        "insight": "insights", "device_data_point": "settings of device data",
        "device_data_point_v2": "types of device data (version 2)",
        "survey_task": "survey tasks",
        "survey_answer": "survey answers", "notification": "notifications", "external_account": "external accounts",
    ]
}
