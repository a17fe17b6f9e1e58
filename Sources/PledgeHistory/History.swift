import Foundation
import Pledge

/// One's own data in a SQLite file that every tool opens, kept up to date by a sync.
///
/// ```swift
/// let history = try History("tracking.db")
/// history.sync(existAPI).done { summary in
///     print(summary, try history.query("SELECT * FROM latest").rows)
/// }
/// ```
///
/// What tables there are is in the article <doc:Tables>.
public final class History: Sendable {
    /// Nil once it is closed.
    private let database: Locked<Database?>
    /// Where the file is.
    public let path: String
    /// Where a sync works: SQLite may have to wait for another program, and nobody else's handlers should.
    let queue = DispatchQueue(label: "pledge.history", qos: .userInitiated)

    /// Opens a file for writing, or makes it, for its owner alone (mode 600), and brings it up to date.
    ///
    /// - Throws: ``DatabaseError``: also if another sync has it open, or it is not a file of this program's.
    public convenience init(_ path: String) throws {
        try self.init(path, steps: Schema.migrations, pages: nil)
    }

    /// - Parameters:
    ///   - steps: how to bring it up to date.
    ///   - pages: how large it may become, as a disk would have it.
    init(_ path: String, steps: Migrations, pages: Int?) throws {
        let database = try Database(writing: path)
        _ = try steps.check(database)
        // Twice SQLite's own size, in a file that is new: what a night looks at lies on fewer pages, which spares it 12 %.
        try database.run("PRAGMA page_size = 8192")
        _ = try database.value("PRAGMA journal_mode = WAL")
        try database.run("PRAGMA synchronous = NORMAL")
        try database.run("PRAGMA foreign_keys = ON")
        if let pages { _ = try database.value("PRAGMA max_page_count = \(pages)") }
        try steps.apply(to: database)
        self.database = Locked(database)
        self.path = path
    }

    /// Opens a file that is there, to be read and not changed; a sync may be under way meanwhile.
    ///
    /// - Throws: ``DatabaseError``.
    public init(reading path: String) throws {
        let database = try Database(reading: path)
        guard try Schema.migrations.check(database) == Schema.migrations.steps.count else {
            throw DatabaseError(.unusableFile, "\(path) has no history in it yet: fill it with “pledge sync \(path)”.")
        }
        self.database = Locked(database)
        self.path = path
    }

    /// What a query gives.
    public struct Answer: Equatable, Sendable {
        /// The names of the columns, from left to right.
        public var columns: [String]
        /// The rows, with a value for each column.
        public var rows: [[SQLValue]]
    }

    /// Runs a query over what has been synced.
    ///
    /// - Parameters:
    ///   - sql: one statement.
    ///   - values: for the question marks in it.
    /// - Throws: ``DatabaseError``.
    public func query(_ sql: String, _ values: [SQLValue] = []) throws -> Answer {
        try read { database in
            // Not kept prepared: there is no end to what a program may ask.
            let statement = try database.prepare(sql)
            return Answer(columns: statement.columns, rows: try statement.rows(values))
        }
    }

    /// Closes the file, after which nothing is beside it any more and it can be moved; also done when nobody holds it.
    public func close() {
        database.withLock { $0 = nil }
    }

    /// Writes values as a sync of Exist does: a transaction of one span of days of several attributes.
    ///
    /// - Parameter rows: by attribute, each row the account's number, the attribute, the day and the value.
    @_spi(Benchmarks)
    public func put(
        _ rows: [(attribute: String, rows: [[SQLValue]])], account: Int, from first: String, through last: String
    ) throws {
        try write { database in
            for (attribute, rows) in rows {
                let part = Table.Part(
                    key: [.integer(account), .text(attribute)], condition: "day BETWEEN ? AND ?",
                    values: [.text(first), .text(last)])
                _ = try database.put(rows, into: "value", within: part, isAll: true)
            }
        }
    }

    /// All of what `body` does to the database, or nothing of it.
    func write<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try read { database in try database.transaction { try body(database) } }
    }

    func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try database.withLock { database in
            guard let database else { throw DatabaseError(.unusableFile, "\(path) was closed.") }
            return try body(database)
        }
    }
}
