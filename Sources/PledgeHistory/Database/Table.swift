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
    let change: String
    let removal: String
    let lookup: String

    init(_ name: String, _ columns: [String], keys width: Int) {
        keepsRemoved = columns.contains("removed")
        let columns = columns.filter { $0 != "removed" }
        self.name = name
        self.columns = columns
        self.width = width
        let key = columns[..<width]
        let others = columns[width...]
        let isKey = key.map { "\($0) = ?" }.joined(separator: " AND ")
        let values = columns.map { _ in "?" }.joined(separator: ", ")
        insertion = "INSERT OR IGNORE INTO \(name) (\(columns.joined(separator: ", "))) VALUES (\(values))"
        // A table that has only key columns has nothing to update. The statement here is valid SQL for such a table,
        // but never runs.
        let changes = (others.isEmpty ? key : others).map { "\($0) = ?" } + (keepsRemoved ? ["removed = NULL"] : [])
        change = "UPDATE \(name) SET \(changes.joined(separator: ", ")) WHERE \(isKey)"
        removal =
            keepsRemoved
            ? "UPDATE \(name) SET removed = ? WHERE \(isKey)" : "DELETE FROM \(name) WHERE \(isKey)"
        let read = columns + (keepsRemoved ? ["removed"] : [])
        lookup = "SELECT \(read.joined(separator: ", ")) FROM \(name) WHERE \(isKey)"
    }

    /// A part of a table: the rows whose keys begin with the same values. A condition can restrict the part to some of
    /// these rows.
    struct Part {
        /// The values with which the keys of all rows of the part begin.
        var key: [SQLValue]
        /// A further SQL condition that the rows must satisfy, or an empty string.
        var condition = ""
        var values: [SQLValue] = []

        /// Returns a query for the rows, ordered by their keys. The query leaves out the key columns that are the same
        /// in all rows of the part.
        func lookup(in table: Table) -> String {
            let left = table.columns[key.count..<table.width]
            let columns = table.columns[key.count...] + (table.keepsRemoved ? ["removed"] : [])
            let start = table.columns.prefix(key.count).map { "\($0) = ?" }
            let conditions = (start + [condition]).filter { !$0.isEmpty }
            return "SELECT \(columns.joined(separator: ", ")) FROM \(table.name) WHERE "
                + "\(conditions.joined(separator: " AND ")) ORDER BY \(left.joined(separator: ", "))"
        }
    }
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

/// What a sync does with rows that the service no longer has.
struct Removal {
    /// The day on which the sync found that the rows were gone.
    var day: SQLValue
    /// Returns whether this many rows of a table may be removed.
    var isAccepted: (_ count: Int, _ table: Table, _ database: Database) throws -> Bool = { _, _, _ in true }
}

extension Database {
    /// Inserts or updates rows, but writes only the rows that differ from the stored ones. Returns the numbers of rows
    /// that were added, changed, and removed.
    ///
    /// - Parameters:
    ///   - rows: The rows, with the key columns first. If several rows have the same key, the last of them is stored.
    ///   - part: The part of the table that the rows belong to. The stored rows of the part are read with a single
    ///     query and compared with `rows`. Without a part, each row is looked up separately, which takes longer.
    ///   - removal: What to do with the stored rows of the part that are not in `rows`. If it is nil, those rows stay
    ///     as they are.
    func put(
        _ rows: [[SQLValue]], into name: String, within part: Table.Part? = nil, removing removal: Removal? = nil
    ) throws -> ChangeCount {
        var count = ChangeCount()
        guard removal != nil || !rows.isEmpty else { return count }
        let table = try table(name)
        let width = table.width
        let found =
            try part.map { try difference(of: rows, to: $0, of: table, removal != nil) }
            ?? (changed: [], added: rows, gone: [])
        func change(_ row: [SQLValue]) throws {
            try run(table.change, Array(row[width...]) + row[..<width])
            count.changed += 1
        }
        for row in found.changed { try change(row) }
        // The statement is taken from the cache once, not for each row. Looking it up takes as long as running it,
        // which matters for a million rows.
        let insertion = try statement(table.insertion)
        for row in found.added {
            try insertion.run(row)
            if changes == 1 {
                count.added += 1
                continue
            }
            guard let old = try self.rows(table.lookup, Array(row[..<width])).first else {
                throw DatabaseError(.other, "\(file): a row of “\(name)” lacks a required value.")
            }
            if old != row + (table.keepsRemoved ? [.null] : []) { try change(row) }
        }
        if let removal { count += try remove(found.gone, of: table, removal) }
        return count
    }

    /// Compares the stored rows of a part of a table with new rows. Both are read in the order of their keys, in a
    /// single pass. Returns the rows that have changed, the rows to add, and the keys of stored rows that are not among
    /// the new rows. If `isAll` is false, the last list is empty.
    private func difference(
        of rows: [[SQLValue]], to part: Table.Part, of table: Table, _ isAll: Bool
    ) throws -> (changed: [[SQLValue]], added: [[SQLValue]], gone: [[SQLValue]]) {
        var (changed, added, gone): ([[SQLValue]], [[SQLValue]], [[SQLValue]]) = ([], [], [])
        // All keys of the part begin with the same values, so those columns are not compared.
        let start = part.key.count
        let width = table.width
        func isBefore(_ one: [SQLValue], _ other: [SQLValue]) -> Bool {
            for column in start..<width {
                let order = one[column].order(other[column])
                if order != 0 { return order < 0 }
            }
            return false
        }
        // Services list the newest item first. So the reversed rows are usually sorted already, and sorting can be
        // skipped.
        let newestLast = Array(rows.reversed())
        let isSorted = zip(newestLast, newestLast.dropFirst()).allSatisfy(isBefore)
        let rows = isSorted ? newestLast : rows.sorted(by: isBefore)
        var next = 0
        try read(part, of: table) { old in
            while next < rows.count {
                let order = old.order(rows[next], start..<width, first: start)
                if order < 0 { break }
                next += 1
                if order == 0 {
                    let isSame = old.order(rows[next - 1], width..<rows[next - 1].count, first: start) == 0
                    if !isSame || old.isRemoved(in: table, start) { changed.append(rows[next - 1]) }
                    return
                }
                added.append(rows[next - 1])
            }
            if isAll, !old.isRemoved(in: table, start) { gone.append(part.key + (0..<width - start).map { old[$0] }) }
        }
        return (changed, added + rows[next...], gone)
    }

    /// Removes the rows of a part of a table, except the rows with the given keys.
    func remove(
        _ part: Table.Part, of name: String, except keys: Set<[SQLValue]>, _ removal: Removal
    ) throws -> ChangeCount {
        let table = try table(name)
        var gone: [[SQLValue]] = []
        try read(part, of: table) { row in
            let key = part.key + (part.key.count..<table.width).map { row[$0 - part.key.count] }
            if !keys.contains(key), !row.isRemoved(in: table, part.key.count) { gone.append(key) }
        }
        return try remove(gone, of: table, removal)
    }

    private func remove(_ keys: [[SQLValue]], of table: Table, _ removal: Removal) throws -> ChangeCount {
        guard !keys.isEmpty, try removal.isAccepted(keys.count, table, self) else { return ChangeCount() }
        for key in keys { try run(table.removal, (table.keepsRemoved ? [removal.day] : []) + key) }
        return ChangeCount(removed: keys.count)
    }
}

extension Row {
    /// Returns whether this row is marked as removed. The row lacks the first columns of the table, and `first` is
    /// their number.
    fileprivate func isRemoved(in table: Table, _ first: Int) -> Bool {
        table.keepsRemoved && self[table.columns.count - first] != .null
    }
}
