import PledgeBatch
import PledgeFiles

/// Results from which accounts are erased, and the tables beside them; locked meanwhile.
struct ErasableResults {
    private let file: ExportResults
    private let tables: TableFiles?
    private let lines: [HashKey: Range<Int>]
    /// The accounts that have a line.
    let accounts: [AccountID]

    var name: String { file.name }

    /// Reads the file without changing it.
    init(_ path: String) throws {
        let location = try OutputPath(path)
        guard location.isTaken else { throw UsageError("There is no \(path).") }
        file = try ExportResults(at: location)
        // Nothing but results is rewritten.
        try file.scan()
        let hasTables = try CSVTable.allCases.contains { try location.beside($0.path(beside:)).isTaken }
        tables = hasTables ? try TableFiles(beside: location, replacing: true) : nil
        let reader = FileLines.results(file.file)
        var found: [(id: AccountID, range: Range<Int>)] = []
        while let line = try reader.next() {
            guard !line.hasZeros, let head = try ResultHead(line, of: reader) else { continue }
            // The last line gets the line feed that it may lack.
            found.append((head.id, line.range.lowerBound..<line.range.upperBound + (line.isWhole ? 0 : 1)))
        }
        accounts = found.map(\.id)
        lines = Dictionary(found.map { ($0.id.key, $0.range) }, uniquingKeysWith: { first, _ in first })
    }

    /// Writes the file anew without the lines of these accounts and without a partial one, and then its tables, which may
    /// have the rows of lines that were erased before.
    ///
    /// - Returns: What was done, in words.
    func erase(_ accounts: [AccountID]) throws -> [String] {
        let found = accounts.filter { lines[$0.key] != nil }
        try file.erase(found.compactMap { lines[$0.key] }.sorted { $0.lowerBound < $1.lowerBound })
        try tables?.write(file.file)
        return found.map { "Erased from \(name): \($0.words), its line." }
            + (tables == nil ? [] : ["Written anew: the tables of \(name)."])
    }
}
