import PledgeFiles

/// The tables beside the results, made from all lines when a run ends, so that they agree.
struct TableFiles {
    private let files: [(table: CSVTable, location: any FileLocation, old: (any RawFile)?)]
    /// The bytes written at a time, which limits the memory that a table takes.
    private static let pageSize = 256 << 10

    /// Checks, without changes, that no unrelated file is in their place.
    ///
    /// - Parameter replacing: Whether tables of an earlier run may exist.
    init(beside results: any FileLocation, replacing: Bool) throws {
        files = try CSVTable.allCases.map { table in
            let location = try results.beside(table.path(beside:))
            guard location.isTaken else { return (table, location, nil) }
            let (old, header) = (try location.open(), CSVCell.row(table.columns))
            guard try replacing || old.length() == 0 else {
                throw UsageError(
                    "\(location.named) exists: add --resume to replace it, or choose another file for the results.")
            }
            guard try header.starts(with: old.read(header.count, at: 0)) else {
                throw UsageError("\(location.named) is not a table of “pledge export”: choose another file.")
            }
            return (table, location, old)
        }
    }

    /// Writes all tables, and then replaces the old ones.
    func write(_ results: any RawFile) throws {
        do {
            let copies = try files.map { (table: $0.table, copy: try Replacement(of: $0.location, old: $0.old)) }
            var rows = TableRows()
            func flush(_ size: Int) throws {
                for (table, copy) in copies where rows.bytes[table, default: []].count > size {
                    try copy.file.writeAll(rows.take(table))
                }
            }
            let lines = FileLines.results(results)
            while let line = try lines.next() {
                rows.beginLine()
                do {
                    try lines.forEachPart(of: line) { part in
                        try rows.add(part)
                        try flush(Self.pageSize)
                    }
                } catch is DecodingError {
                    throw FileError("Line \(line.number) of \(results.name) was changed by another program.")
                }
            }
            try flush(0)
            for (_, copy) in copies { try copy.replaceOriginal() }
        } catch {
            throw FileError("\(error) The results are not affected; --resume makes their tables.")
        }
    }
}
