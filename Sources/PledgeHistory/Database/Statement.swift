import Foundation
import PledgeCoding
import PledgeLibraries

/// A prepared statement that can be run repeatedly.
final class Statement {
    private let database: OpaquePointer
    private let handle: OpaquePointer
    private let sql: String
    private let file: String

    init(_ sql: String, of database: OpaquePointer, file: String) throws {
        var handle: OpaquePointer?
        var text = sql
        let code = text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                pledge_sqlite_prepare(database, $0.baseAddress, Int32($0.count), &handle)
            }
        }
        guard code == 0, let handle else {
            throw DatabaseError(
                code: code == 0 ? Int32(PLEDGE_SQLITE_ERROR.rawValue) : code,
                message: code == 0 ? "there is no statement" : String(cString: pledge_sqlite_message(database)),
                file: file, sql: sql)
        }
        self.database = database
        self.handle = handle
        self.sql = sql
        self.file = file
    }

    deinit { _ = pledge_sqlite_finalize(handle) }

    /// Runs the statement to its end, and calls `row` with each row. A row is valid only until `row` returns.
    func run(_ values: [SQLValue], row: (Row) throws -> Void = { _ in }) throws {
        defer { _ = pledge_sqlite_reset(handle) }
        for (index, value) in values.enumerated() { try check(bind(value, at: Int32(index + 1))) }
        guard values.count == pledge_sqlite_bind_count(handle) else {
            throw DatabaseError(
                .other,
                "\(file): “\(sql)” takes another number of values than the \(values.count) that were given.")
        }
        var code = pledge_sqlite_step(handle)
        while code == PLEDGE_SQLITE_ROW.rawValue {
            try row(Row(handle: handle))
            code = pledge_sqlite_step(handle)
        }
        if code != PLEDGE_SQLITE_DONE.rawValue { try check(code) }
    }

    /// Runs the statement and returns all rows.
    func rows(_ values: [SQLValue]) throws -> [[SQLValue]] {
        var rows: [[SQLValue]] = []
        try run(values) { rows.append($0.values) }
        return rows
    }

    var columns: [String] {
        (0..<pledge_sqlite_column_count(handle)).map { String(cString: pledge_sqlite_column_name(handle, $0)) }
    }

    /// Whether the statement returns rows and changes nothing. SQLite alone doesn't tell that: for example, it says
    /// that `BEGIN` only reads, because `BEGIN` changes the connection but not the file. So this also checks that there
    /// are columns.
    var onlyReads: Bool { pledge_sqlite_only_reads(handle) != 0 && pledge_sqlite_column_count(handle) > 0 }

    private func bind(_ value: SQLValue, at index: Int32) -> Int32 {
        switch value {
        case .null: return pledge_sqlite_bind_null(handle, index)
        case .integer(let number): return pledge_sqlite_bind_integer(handle, index, Int64(number))
        case .real(let number): return pledge_sqlite_bind_real(handle, index, number)
        case .text(let text):
            return text.withCString { pledge_sqlite_bind_text(handle, index, $0, Int32(clamping: text.utf8.count)) }
        }
    }

    private func check(_ code: Int32) throws {
        guard code != PLEDGE_SQLITE_OK.rawValue else { return }
        throw DatabaseError(
            code: code, message: String(cString: pledge_sqlite_message(database)), file: file, sql: sql)
    }
}

/// The current row of a running statement.
struct Row {
    fileprivate let handle: OpaquePointer

    var count: Int { Int(pledge_sqlite_column_count(handle)) }

    subscript(index: Int) -> SQLValue {
        let column = Int32(index)
        return switch UInt32(pledge_sqlite_column_type(handle, column)) {
        case PLEDGE_SQLITE_INTEGER.rawValue: .integer(Int(pledge_sqlite_column_integer(handle, column)))
        case PLEDGE_SQLITE_FLOAT.rawValue: .real(pledge_sqlite_column_real(handle, column))
        case PLEDGE_SQLITE_NULL.rawValue: .null
        default: .text(String(decoding: bytes(index), as: UTF8.self))
        }
    }

    var values: [SQLValue] { (0..<count).map { self[$0] } }

    /// Returns whether a column has text or a blob, rather than a number or null.
    func hasBytes(_ index: Int) -> Bool {
        let kinds = [PLEDGE_SQLITE_TEXT, PLEDGE_SQLITE_BLOB].map { Int32($0.rawValue) }
        return kinds.contains(pledge_sqlite_column_type(handle, Int32(index)))
    }

    func isBlob(_ index: Int) -> Bool {
        pledge_sqlite_column_type(handle, Int32(index)) == Int32(PLEDGE_SQLITE_BLOB.rawValue)
    }

    /// Returns the bytes of text or of a blob. They are valid until the statement goes on to the next row.
    func bytes(_ index: Int) -> UnsafeBufferPointer<UInt8> {
        var length: Int32 = 0
        let text = pledge_sqlite_column_text(handle, Int32(index), &length)
        return UnsafeBufferPointer(start: text, count: Int(length))
    }
}
