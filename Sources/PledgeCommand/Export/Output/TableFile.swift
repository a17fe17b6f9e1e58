import Foundation

/// One table on disk.
final class TableFile {
    private let name: String
    private let descriptor: Int32

    /// - Parameter done: the accounts whose lines are whole, in a run that is resumed: rows of others are cut off.
    init(_ table: CSVTable, beside results: String, done: Set<AccountKey>?) throws {
        name = table.path(beside: results)
        descriptor = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw StopError(writing: name, errno) }
        let header = CSVTable.row(table.columns)
        let length = lseek(descriptor, 0, SEEK_END)
        guard length == 0 || done != nil else {
            throw UsageError("\(name) exists: add --resume to go on with it, or name another file for the results.")
        }
        let whole = length < header.count ? 0 : try Self.wholeLength(descriptor, name, done ?? [])
        guard ftruncate(descriptor, off_t(whole)) == 0, lseek(descriptor, 0, SEEK_END) >= 0 else {
            throw StopError(writing: name, errno)
        }
        if whole == 0 { try writeAll(header, to: descriptor, name: name) }
    }

    deinit { close(descriptor) }

    func write(_ rows: [Spool]) throws {
        guard !rows.isEmpty else { return }
        for rows in rows {
            try rows.forEachPiece { try writeAll($0, to: descriptor, name: name) }
        }
        if fsync(descriptor) != 0 { throw StopError(writing: name, errno) }
    }

    /// Where the rows of accounts that are done end. Rows stand in the order of the lines, so that the others follow.
    private static func wholeLength(_ descriptor: Int32, _ name: String, _ done: Set<AccountKey>) throws -> Int {
        guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw StopError(writing: name, errno) }
        let lines = LineReader(descriptor, limit: AccountReader.longestLine)
        var (offset, whole, isHeader) = (0, 0, true)
        var row: [UInt8] = []
        while let line = try lines.next() {
            offset += line.length
            guard line.isWhole, !line.hasHole else { break }
            // A quoted field may hold line feeds: the row ends where the quotes come in pairs.
            row += line.bytes + [0x0A]
            guard row.lazy.filter({ $0 == UInt8(ascii: "\"") }).count.isMultiple(of: 2) else { continue }
            if !isHeader {
                guard let id = account(row), done.contains(id.key) else { break }
            }
            (whole, isHeader) = (offset, false)
            row.removeAll(keepingCapacity: true)
        }
        return whole
    }

    /// The first two fields.
    private static func account(_ row: [UInt8]) -> AccountID? {
        var fields: [String] = []
        var field: [UInt8] = []
        var (isQuoted, wasQuote) = (false, false)
        for byte in row {
            switch byte {
            case UInt8(ascii: "\""):
                // The second of a pair is a quote of the text.
                if wasQuote, !isQuoted { field.append(byte) }
                isQuoted.toggle()
            case UInt8(ascii: ",") where !isQuoted:
                fields.append(String(decoding: field, as: UTF8.self))
                field.removeAll()
                guard fields.count == 2 else { break }
                return AccountID.Service(rawValue: fields[0]).map { AccountID(service: $0, account: fields[1]) }
            default: field.append(byte)
            }
            wasQuote = byte == UInt8(ascii: "\"") && !isQuoted
        }
        return nil
    }
}
