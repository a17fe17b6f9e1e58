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
