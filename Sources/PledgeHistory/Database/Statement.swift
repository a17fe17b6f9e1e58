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

/// The value of one column in one row.
public enum SQLValue: Sendable {
    /// No value, which SQL calls `NULL`.
    case null
    /// A signed integer of 64 bits.
    case integer(Int)
    /// A floating-point number of 64 bits.
    case real(Double)
    /// Text in UTF-8, regardless of the column's declared type.
    case text(String)
}

extension SQLValue: Hashable {
    /// Returns whether two values have the same type and are equal. Text is compared byte by byte. So an accented
    /// letter differs from the same letter in another Unicode normalization.
    public static func == (left: SQLValue, right: SQLValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.integer(let one), .integer(let other)): one == other
        case (.real(let one), .real(let other)): one == other
        case (.text(let one), .text(let other)): ExactText(one) == ExactText(other)
        default: false
        }
    }

    /// Hashes the value, consistently with equality.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .integer(let number): hasher.combine(number)
        case .real(let number): hasher.combine(number)
        case .text(let text): hasher.combine(ExactText(text))
        }
    }
}

extension SQLValue {
    /// Creates an integer, or null for nil.
    init(_ number: Int?) { self = number.map { .integer($0) } ?? .null }

    /// Creates a floating-point number. As in SQLite, NaN becomes null, and so does nil.
    init(_ number: Double?) { self = number.flatMap { $0.isNaN ? nil : .real($0) } ?? .null }

    /// Creates text, or null for nil.
    init(_ text: String?) { self = text.map { .text($0) } ?? .null }

    /// Creates the integer 1 or 0, or null for nil.
    init(_ flag: Bool?) { self = flag.map { .integer($0 ? 1 : 0) } ?? .null }

    /// The integer, or nil for any other type.
    public var integer: Int? { if case .integer(let number) = self { number } else { nil } }

    /// The number, whether integer or floating-point; nil for text and null.
    public var real: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .real(let number): number
        case .null, .text: nil
        }
    }

    /// The text, or nil for any other type.
    public var text: String? { if case .text(let text) = self { text } else { nil } }
}

extension SQLValue: CustomStringConvertible {
    /// The number or text without quotes; empty for null.
    public var description: String {
        switch self {
        case .null: ""
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .text(let text): text
        }
    }
}

extension SQLValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByNilLiteral {
    /// Creates text from a string literal.
    public init(stringLiteral text: String) { self = .text(text) }

    /// Creates an integer from an integer literal.
    public init(integerLiteral number: Int) { self = .integer(number) }

    /// Creates null from the literal nil.
    public init(nilLiteral: ()) { self = .null }
}
