/// A table on disk.
final class TableFile {
    private let place: any FilePlace
    private let file: any RawFile
    private var name: String { place.named }

    /// - Parameter done: The accounts with complete lines, in a run that is resumed: rows of others are cut off.
    init(_ table: CSVTable, at place: any FilePlace, done: Set<AccountKey>?) throws {
        self.place = place
        file = try place.open()
        let header = CSVTable.row(table.columns)
        let length = try file.length()
        guard length == 0 || done != nil else {
            throw UsageError("\(name) exists: add --resume to continue it, or choose another file for the results.")
        }
        // Or the beginning of one, if it was lost in a power failure.
        guard try file.read(header.count, at: 0).isTornBeginning(of: header) else {
            throw UsageError("\(name) is not a table of “pledge export”: choose another file.")
        }
        let whole = length < header.count ? 0 : try wholeLength(done ?? [])
        try file.truncate(to: whole)
        if whole == 0 { try file.writeAll(header) }
        try file.sync()
        try place.syncFolder()
    }

    func write(_ rows: [Spool]) throws {
        guard !rows.isEmpty else { return }
        for rows in rows { try rows.forEachPiece { try file.writeAll($0) } }
        try file.sync()
    }

    func checkPlace() throws {
        try ResultsFile.check(place, file)
    }

    /// Returns the end of the rows of finished accounts. Rows are in the order of the lines, so that the others follow.
    private func wholeLength(_ done: Set<AccountKey>) throws -> Int {
        var (offset, whole, row) = (0, 0, RowScan())
        while true {
            let piece = try file.read(256 << 10, at: offset)
            guard !piece.isEmpty else { return whole }
            for byte in piece {
                offset += 1
                switch row.take(byte) {
                case .inside: continue
                case .hole: return whole
                case .end(let head):
                    // The first row is the header.
                    guard whole == 0 || Self.account(head).map({ done.contains($0.key) }) == true else { return whole }
                    whole = offset
                }
            }
        }
    }

    /// Returns the first two fields.
    private static func account(_ row: [UInt8]) -> AccountID? {
        var fields: [String] = []
        var field: [UInt8] = []
        var (isQuoted, wasQuote) = (false, false)
        for byte in row {
            switch byte {
            case UInt8(ascii: "\""):
                // The second of a pair is a quotation mark in the text.
                if wasQuote, !isQuoted { field.append(byte) }
                isQuoted.toggle()
            case UInt8(ascii: ",") where !isQuoted:
                fields.append(String(decoding: field, as: UTF8.self))
                field.removeAll()
                guard fields.count == 2 else { break }
                return AccountID.Service(rawValue: fields[0]).map {
                    AccountID(service: $0, account: CSVCell.text(ofField: fields[1]))
                }
            default: field.append(byte)
            }
            wasQuote = byte == UInt8(ascii: "\"") && !isQuoted
        }
        return nil
    }
}
