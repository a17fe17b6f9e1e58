/// A table that a sync writes, with the statements for its rows. The columns of its natural key come before all other
/// columns.
struct Table {
    /// The number of key columns. The key columns are the first columns of the table.
    let width: Int
    let name: String
    /// The columns for which a sync gives values: all columns except `removed`.
    let columns: [String]
    /// Whether the table keeps rows that the service no longer has. If so, the column `removed` has the day on which a
    /// sync found that the row was gone.
    let keepsRemoved: Bool
    let insertion: String
    /// A statement that updates a row; nil if the table has only key columns, so that there is nothing to update.
    let change: String?
    let removal: String
    let lookup: String
    private let selection: String
    private let keySelection: String

    init(_ name: String, _ columns: [String], keys width: Int) {
        keepsRemoved = columns.contains("removed")
        let columns = columns.filter { $0 != "removed" }
        self.name = name
        self.columns = columns
        self.width = width
        let key = columns[..<width]
        let isKey = key.map { "\($0) = ?" }.joined(separator: " AND ")
        let values = columns.map { _ in "?" }.joined(separator: ", ")
        insertion = "INSERT OR IGNORE INTO \(name) (\(columns.joined(separator: ", "))) VALUES (\(values))"
        let changes = columns[width...].map { "\($0) = ?" } + (keepsRemoved ? ["removed = NULL"] : [])
        change = changes.isEmpty ? nil : "UPDATE \(name) SET \(changes.joined(separator: ", ")) WHERE \(isKey)"
        removal =
            keepsRemoved
            ? "UPDATE \(name) SET removed = ? WHERE \(isKey)" : "DELETE FROM \(name) WHERE \(isKey)"
        let read = columns + (keepsRemoved ? ["removed"] : [])
        selection = "SELECT \(read.joined(separator: ", ")) FROM \(name) WHERE "
        lookup = selection + isKey
        keySelection =
            "SELECT \(key.joined(separator: ", ")) FROM \(name) WHERE " + (keepsRemoved ? "removed IS NULL AND " : "")
    }

    /// A part of a table: the rows whose keys begin with the same values. A condition can restrict the part to some of
    /// these rows.
    struct Part {
        /// The values with which the keys of all rows of the part begin.
        var key: [SQLValue]
        /// A further SQL condition that the rows must satisfy.
        var condition = "1"
        /// The values for the question marks in the condition.
        var values: [SQLValue] = []
    }

    /// Returns a query for the rows of a part, in the form of a stored row: all columns, and then `removed` if the table
    /// has that column.
    func rows(of part: Part) -> String { selection + condition(of: part) }

    /// Returns a query for the keys of the rows of a part that are not marked as removed.
    func keys(of part: Part) -> String { keySelection + condition(of: part) }

    private func condition(of part: Part) -> String {
        columns.prefix(part.key.count).map { "\($0) = ? AND " }.joined() + part.condition
    }

    func key(of row: [SQLValue]) -> [SQLValue] { Array(row[..<width]) }

    /// Returns the stored row that has the values of this row and is not marked as removed.
    func stored(_ row: [SQLValue]) -> [SQLValue] { keepsRemoved ? row + [.null] : row }

    /// Returns whether a stored row is marked as removed.
    func isRemoved(_ stored: [SQLValue]) -> Bool { keepsRemoved && stored.last != .null }
}

/// The numbers of rows that a sync added, changed, and removed.
public struct ChangeCount: Equatable, Sendable {
    /// The number of new rows.
    public var added = 0
    /// The number of rows whose contents changed.
    public var changed = 0
    /// The number of rows that the service no longer has.
    public var removed = 0

    static func += (left: inout ChangeCount, right: ChangeCount) {
        left.added += right.added
        left.changed += right.changed
        left.removed += right.removed
    }
}

extension Database {
    /// Inserts or updates rows, but writes only the rows that differ from the stored ones.
    ///
    /// - Parameters:
    ///   - rows: The rows, with the key columns first. If several rows have the same key, the last of them is stored.
    ///   - part: The part of the table that the rows belong to. Its stored rows are read with a single query. Without a
    ///     part, each row that is already stored is looked up separately, which takes longer.
    /// - Returns: The numbers of rows that were added and changed, and the keys of the rows that are stored in the part
    ///   but are not in `rows`. Nothing is done to these rows.
    func put(
        _ rows: [[SQLValue]], into name: String, comparing part: Table.Part? = nil
    ) throws -> (count: ChangeCount, gone: [[SQLValue]]) {
        let table = try table(name)
        var stored: [[SQLValue]: [SQLValue]] = [:]
        if let part {
            try statement(table.rows(of: part)).run(part.key + part.values) { row in
                let values = row.values
                stored[table.key(of: values)] = values
            }
        }
        var count = ChangeCount()
        // The statement is taken from the cache once, not for each row. Looking it up takes as long as running it,
        // which matters for a million rows.
        let insertion = try statement(table.insertion)
        for row in rows {
            var old = stored.isEmpty ? nil : stored.removeValue(forKey: table.key(of: row))
            if old == nil {
                try insertion.run(row)
                if changes == 1 {
                    count.added += 1
                    continue
                }
                old = try self.rows(table.lookup, table.key(of: row)).first
            }
            guard let old else {
                throw DatabaseError(.other, "\(file): a row of “\(name)” lacks a required value.")
            }
            guard old != table.stored(row), let change = table.change else { continue }
            try run(change, Array(row[table.width...]) + table.key(of: row))
            count.changed += 1
        }
        return (count, stored.filter { !table.isRemoved($0.value) }.map(\.key))
    }

    /// Returns the keys of the rows of a part of a table, except for rows that are marked as removed.
    func keys(of part: Table.Part, in name: String) throws -> [[SQLValue]] {
        try rows(table(name).keys(of: part), part.key + part.values)
    }

    /// Marks the rows with these keys as removed on a day. If the table keeps no removed rows, deletes them.
    func remove(_ keys: [[SQLValue]], from table: Table, on day: SQLValue) throws {
        for key in keys { try run(table.removal, (table.keepsRemoved ? [day] : []) + key) }
    }
}
