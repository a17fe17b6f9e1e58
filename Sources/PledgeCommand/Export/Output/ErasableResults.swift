import PledgeBatch
import PledgeFiles

/// Results, locked, from which accounts can be erased.
struct ErasableResults {
    private let file: LinesFile
    /// The length of the complete lines, and the range of each account's line.
    private let wholeLength: Int
    private let lines: [HashKey: Range<Int>]
    let accounts: [AccountID]

    init(_ path: String) throws {
        let location = try OutputPath(path)
        guard location.isTaken else { throw UsageError("There is no \(path).") }
        file = try LinesFile(results: location)
        var (accounts, lines): ([AccountID], [HashKey: Range<Int>]) = ([], [:])
        // Only a file of results is rewritten.
        let scan = try ResumeScan(file.file) { id, line in
            accounts.append(id)
            lines[id.key] = line
        }
        (self.accounts, self.lines, wholeLength) = (accounts, lines, scan.wholeLength)
    }

    /// Rewrites the file without the lines of these accounts and without a partial line. Returns descriptions of what was
    /// done.
    func erase(_ accounts: [AccountID]) throws -> [String] {
        let found = accounts.filter { lines[$0.key] != nil }
        try file.keep(wholeLength)
        if !found.isEmpty {
            try file.drop(found.compactMap { lines[$0.key] }.sorted { $0.lowerBound < $1.lowerBound })
        }
        return found.map { "Erased from \(file.name): \($0.words), its line." }
    }
}
