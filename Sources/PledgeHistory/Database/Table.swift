/// A table as the sync writes it: its natural key, and everything else.
struct Table: Sendable {
    let name: String
    let key: [String]
    let columns: [String]
    let insertion: String
    let change: String
    let removal: String
    let lookup: String
    let isKey: String

    init(_ name: String, key: [String], _ columns: [String]) {
        self.name = name
        self.key = key
        self.columns = columns
        let all = (key + columns).joined(separator: ", ")
        let places = Array(repeating: "?", count: key.count + columns.count).joined(separator: ", ")
        isKey = key.map { "\($0) = ?" }.joined(separator: " AND ")
        insertion = "INSERT OR IGNORE INTO \(name) (\(all)) VALUES (\(places))"
        // A table of keys alone has nothing to change; the statement is never run.
        let changes = (columns.isEmpty ? key : columns).map { "\($0) = ?" }.joined(separator: ", ")
        change = "UPDATE \(name) SET \(changes) WHERE \(isKey)"
        removal = "DELETE FROM \(name) WHERE \(isKey)"
        lookup = "SELECT \(all) FROM \(name) WHERE "
    }

    /// Which rows of a table what is known now is all of.
    struct Part {
        var condition: String
        var values: [SQLValue]
    }
}

/// How many rows a sync added, changed and removed.
public struct ChangeCount: Equatable, Sendable {
    /// Rows that are new.
    public var added = 0
    /// Rows that are not what they were.
    public var changed = 0
    /// Rows that are gone.
    public var removed = 0

    static func += (left: inout ChangeCount, right: ChangeCount) {
        left.added += right.added
        left.changed += right.changed
        left.removed += right.removed
    }
}

extension Database {
    /// Makes a table hold these rows, and touches only what differs: the one way in which a sync writes.
    ///
    /// - Parameters:
    ///   - rows: key first, then the other columns. Of two with the same key the last counts.
    ///   - part: rows of this part of the table that are not among `rows` are removed; nil removes none.
    func put(
        _ rows: some Sequence<[SQLValue]>, into table: Table, allOf part: Table.Part? = nil
    ) throws -> ChangeCount {
        var count = ChangeCount()
        var left: [[SQLValue]: ArraySlice<SQLValue>] = [:]
        let width = table.key.count
        if let part {
            try read(table.lookup + part.condition, part.values) { row in
                let values = row.values
                left[Array(values[..<width])] = values[width...]
            }
        }
        // Found once: for a million rows, looking it up costs as much as its work.
        let insertion = try statement(table.insertion)
        for row in rows {
            var old = left.isEmpty ? nil : left.removeValue(forKey: Array(row[..<width]))
            if old == nil {
                try insertion.run(row)
                if changes == 1 {
                    count.added += 1
                    continue
                }
                let key = Array(row[..<width])
                old = try self.rows(table.lookup + table.isKey, key).first?[width...]
                guard old != nil else {
                    throw DatabaseError(.other, "\(file): a row of “\(table.name)” lacks what it cannot do without.")
                }
            }
            guard let old, !old.elementsEqual(row[width...]) else { continue }
            try run(table.change, row[width...] + Array(row[..<width]))
            count.changed += 1
        }
        for key in left.keys {
            try run(table.removal, key)
            count.removed += 1
        }
        return count
    }

    /// Removes the rows of a part of a table whose keys are not among these.
    func remove(_ part: Table.Part, of table: Table, except keys: Set<[SQLValue]>) throws -> ChangeCount {
        var count = ChangeCount()
        for row in try rows(table.lookup + part.condition, part.values) {
            let key = Array(row[..<table.key.count])
            guard !keys.contains(key) else { continue }
            try run(table.removal, key)
            count.removed += 1
        }
        return count
    }
}
