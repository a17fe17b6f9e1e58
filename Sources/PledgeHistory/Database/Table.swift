/// A table that a sync writes. The columns of its natural key come first, followed by all others.
struct Table {
    /// The number of key columns, which come first.
    let width: Int
    let name: String
    /// The columns that are given in each row.
    let columns: [String]
    /// Whether the table keeps a row that the service no longer has. If so, its column `removed` has the day on which a
    /// sync found that.
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
        // A table with only key columns has nothing to update; the statement is never run.
        let changes = (others.isEmpty ? key : others).map { "\($0) = ?" } + (keepsRemoved ? ["removed = NULL"] : [])
        change = "UPDATE \(name) SET \(changes.joined(separator: ", ")) WHERE \(isKey)"
        removal =
            keepsRemoved
            ? "UPDATE \(name) SET removed = ? WHERE \(isKey)" : "DELETE FROM \(name) WHERE \(isKey)"
        let read = columns + (keepsRemoved ? ["removed"] : [])
        lookup = "SELECT \(read.joined(separator: ", ")) FROM \(name) WHERE \(isKey)"
    }

    /// The rows of a table whose keys begin alike, or a subset of these rows.
    struct Part {
        /// The values with which the keys begin.
        var key: [SQLValue]
        /// A further SQL condition that the rows must meet, or an empty string.
        var condition = ""
        var values: [SQLValue] = []

        /// Returns a query for the rows, ordered by their keys. The columns in which all the keys are alike are left
        /// out.
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

/// What happens to rows that a service no longer has.
struct Removal {
    /// The day on which the sync found that the service no longer has them.
    var day: SQLValue
    /// Returns whether this many rows of a table may be removed.
    var isAccepted: (_ count: Int, _ table: Table, _ database: Database) throws -> Bool = { _, _, _ in true }
}

extension Database {
    /// Inserts or updates rows, writing only those that differ. A sync writes all rows of its lists in this way. Key
    /// columns come first. If two rows have the same key, the last one is stored. The rows are compared with a part of
    /// the table; without one, each row is looked up separately, which costs more. `removal` says what happens to the
    /// other rows of the part; if it is nil, they stay as they are.
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
        // The statement is looked up in the cache only once. For a million rows, looking it up costs as much as running
        // it.
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

    /// Compares a part of a table with rows, in a single pass in the order of their keys. If `isAll` is true, all other
    /// rows of the part are gone.
    private func difference(
        of rows: [[SQLValue]], to part: Table.Part, of table: Table, _ isAll: Bool
    ) throws -> (changed: [[SQLValue]], added: [[SQLValue]], gone: [[SQLValue]]) {
        var (changed, added, gone): ([[SQLValue]], [[SQLValue]], [[SQLValue]]) = ([], [], [])
        // All keys of the part begin alike, so that beginning is not compared.
        let start = part.key.count
        let width = table.width
        func isBefore(_ one: [SQLValue], _ other: [SQLValue]) -> Bool {
            for column in start..<width {
                let order = one[column].order(other[column])
                if order != 0 { return order < 0 }
            }
            return false
        }
        // Services list the newest item first. So in reverse order, the rows are usually sorted already.
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

    /// Removes the rows of a part of a table, except those with the given keys.
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
    /// Whether the service no longer had this row of a table at the last sync. The row was read without its first
    /// columns.
    fileprivate func isRemoved(in table: Table, _ first: Int) -> Bool {
        table.keepsRemoved && self[table.columns.count - first] != .null
    }
}
