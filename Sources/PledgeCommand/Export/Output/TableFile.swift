import Foundation

/// One table on disk.
final class TableFile {
    private let name: String
    private let descriptor: Int32

    /// - Parameter done: the accounts whose lines are whole, in a run that is resumed: rows of others are cut off.
    init(_ table: CSVTable, beside results: String, done: Set<AccountKey>?) throws {
        name = table.path(beside: results)
        let place = try FilePlace(name, followingLink: false)
        descriptor = try place.open(O_RDWR | O_CREAT)
        let header = CSVTable.row(table.columns)
        let length = lseek(descriptor, 0, SEEK_END)
        guard length == 0 || done != nil else {
            throw UsageError("\(name) exists: add --resume to go on with it, or name another file for the results.")
        }
        guard length >= 0, try isTable(header, length) else {
            throw UsageError("\(name) holds something else than a table of “pledge export”: name another file.")
        }
        let whole = length < header.count ? 0 : try Self.wholeLength(descriptor, name, done ?? [])
        guard ftruncate(descriptor, off_t(whole)) == 0, lseek(descriptor, 0, SEEK_END) >= 0 else {
            throw StopError(writing: name, errno)
        }
        if whole == 0 { try writeAll(header, to: descriptor, name: name) }
        try place.syncFolder()
    }

    /// Whether it begins as a table does, or as the little of one that was written before the power went.
    private func isTable(_ header: [UInt8], _ length: off_t) throws -> Bool {
        guard length > 0 else { return length == 0 }
        var start = [UInt8](repeating: 0, count: min(Int(length), header.count))
        guard pread(descriptor, &start, start.count, 0) == start.count else { throw StopError(writing: name, errno) }
        return header.starts(with: start) || start.allSatisfy { $0 == 0 }
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
        var buffer = [UInt8](repeating: 0, count: 256 << 10)
        var (offset, whole, row) = (0, 0, RowScan())
        while true {
            let count = pread(descriptor, &buffer, buffer.count, off_t(offset))
            guard count >= 0 else { throw StopError(writing: name, errno) }
            guard count > 0 else { return whole }
            for byte in buffer[..<count] {
                offset += 1
                switch row.take(byte) {
                case .inside: continue
                case .hole: return whole
                case .end(let head):
                    // The first row is the header.
                    guard whole == 0 || account(head).map({ done.contains($0.key) }) == true else { return whole }
                    whole = offset
                }
            }
        }
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
