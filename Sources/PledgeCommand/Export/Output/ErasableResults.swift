import PledgeBatch
import PledgeFiles

/// Results from which accounts are erased, and the tables beside them; locked meanwhile.
struct ErasableResults {
    private let file: LinesFile
    private let tables: TableFiles?
    /// The length of the complete lines, and where each account has its own.
    private let wholeLength: Int
    private let lines: [HashKey: Range<Int>]
    let accounts: [AccountID]

    /// Reads the file without changing it.
    init(_ path: String) throws {
        let location = try OutputPath(path)
        guard location.isTaken else { throw UsageError("There is no \(path).") }
        file = try LinesFile(results: location)
        var (accounts, lines): ([AccountID], [HashKey: Range<Int>]) = ([], [:])
        // Nothing but results is rewritten.
        let scan = try ResumeScan(file.file) { id, line in
            accounts.append(id)
            lines[id.key] = line
        }
        (self.accounts, self.lines, wholeLength) = (accounts, lines, scan.wholeLength)
        let hasTables = try CSVTable.allCases.contains { try location.beside($0.path(beside:)).isTaken }
        tables = hasTables ? try TableFiles(beside: location, replacing: true) : nil
    }

    /// Writes the file anew without the lines of these accounts and without a partial one, and then its tables, which may
    /// have the rows of lines that were erased before.
    ///
    /// - Returns: What was done, in words.
    func erase(_ accounts: [AccountID]) throws -> [String] {
        let found = accounts.filter { lines[$0.key] != nil }
        try file.keep(wholeLength)
        if !found.isEmpty {
            try file.drop(found.compactMap { lines[$0.key] }.sorted { $0.lowerBound < $1.lowerBound })
        }
        try tables?.write(file.file)
        return found.map { "Erased from \(file.name): \($0.words), its line." }
            + (tables == nil ? [] : ["Written anew: the tables of \(file.name)."])
    }
}
