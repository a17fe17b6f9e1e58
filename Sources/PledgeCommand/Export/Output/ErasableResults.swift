import PledgeCoding
import PledgeFiles

/// Results, locked, from which accounts can be erased.
struct ErasableResults {
    private let file: LinesFile
    /// The length of the complete lines.
    private let wholeLength: Int
    /// The accounts by key, as names that look the same may differ, and the range of each one's line.
    let lines: [HashKey: (account: AccountID, range: Range<Int>)]

    init(_ path: String) throws {
        let location = try OutputPath(path)
        guard location.isTaken else { throw UsageError("There is no \(path).") }
        file = try LinesFile(results: location)
        var lines: [HashKey: (account: AccountID, range: Range<Int>)] = [:]
        // Only a file of results is rewritten.
        wholeLength = try ResumeScan(file.file) { lines[$0.key] = ($0, $1) }.wholeLength
        self.lines = lines
    }

    /// Rewrites the file without the lines of these accounts and without a partial line. Returns descriptions of what was
    /// done.
    func erase(_ accounts: [AccountID]) throws -> [String] {
        let found = accounts.compactMap { lines[$0.key] }
        try file.truncate(toLines: wholeLength)
        if !found.isEmpty { try file.drop(found.map(\.range).sorted { $0.lowerBound < $1.lowerBound }) }
        return found.map { "Erased from \(file.name): \($0.account.words), its line." }
    }
}
