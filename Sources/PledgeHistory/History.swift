import Foundation
import Pledge

/// A user's own data in an ordinary SQLite file, kept up to date by syncing.
///
/// ```swift
/// let history = try History("tracking.db")
/// history.sync(existAPI).done { summary in
///     print(summary, try history.query("SELECT * FROM latest").rows)
/// }
/// ```
///
/// The article <doc:Tables> describes the tables.
public final class History: Sendable {
    /// The open database, or nil after the history is closed.
    private let database: Locked<Database?>
    /// The connection for queries, opened for the first one. A query affects no sync, and waits for none.
    private let reader = Locked<Database?>(nil)
    /// The databases whose statements can be interrupted, since the locks above are held while statements run.
    private let connections = Locked<[Database]>([])
    /// The path of the file.
    public let path: String
    /// The queue a sync runs on. SQLite may block while another program writes; no other handlers should wait for that.
    let queue = DispatchQueue(label: "pledge.history", qos: .userInitiated)

    /// Opens a file for writing, creating it for its owner only (mode 600) if needed, and migrates it to this version.
    ///
    /// - Throws: ``DatabaseError``, also if another sync has the file open, or if another program created it.
    public convenience init(_ path: String) throws {
        try self.init(path, steps: Schema.migrations, pages: nil)
    }

    /// - Parameters:
    ///   - steps: The migrations to the current schema.
    ///   - pages: The maximum number of pages in the file, which simulates a full disk.
    init(_ path: String, steps: Migrations, pages: Int?) throws {
        let database = try Database(writing: path)
        _ = try steps.check(database)
        // Twice SQLite's default, for new files: a nightly sync touches fewer pages, which saves 12 % of its time.
        try database.run("PRAGMA page_size = 8192")
        _ = try database.value("PRAGMA journal_mode = WAL")
        try database.run("PRAGMA synchronous = NORMAL")
        try database.run("PRAGMA foreign_keys = ON")
        if let pages { _ = try database.value("PRAGMA max_page_count = \(pages)") }
        try steps.apply(to: database)
        self.database = Locked(database)
        connections.withLock { $0.append(database) }
        self.path = path
    }

    /// Opens an existing file for reading only, even while a sync is in progress.
    ///
    /// - Throws: ``DatabaseError``.
    public init(reading path: String) throws {
        let database = try Database(reading: path)
        guard try Schema.migrations.check(database) == Schema.migrations.steps.count else {
            throw DatabaseError(.unusableFile, "\(path) has no history in it yet: fill it with “pledge sync \(path)”.")
        }
        self.database = Locked(database)
        connections.withLock { $0.append(database) }
        self.path = path
    }

    /// The result of a query.
    public struct Answer: Equatable, Sendable {
        /// The names of the columns, from left to right.
        public var columns: [String]
        /// The rows, each with one value per column.
        public var rows: [[SQLValue]]
    }

    /// Runs a query on the synced data.
    ///
    /// - Parameters:
    ///   - sql: A single SQL statement that returns rows and changes nothing.
    ///   - values: The values for the question marks in the statement.
    /// - Throws: ``DatabaseError``.
    public func query(_ sql: String, _ values: [SQLValue] = []) throws -> Answer {
        try reader.withLock { reader in
            if reader == nil, connections.withLock({ !$0.isEmpty }) {
                let database = try Database(reading: path)
                connections.withLock { $0.append(database) }
                reader = database
            }
            guard let reader else { throw isClosed }
            // Not cached, because a program may run any number of different queries.
            let statement = try reader.prepare(sql)
            guard statement.onlyReads else {
                throw DatabaseError(.readOnly, "“\(sql.prefix(200))” is not a query, and was not run.")
            }
            return Answer(columns: statement.columns, rows: try statement.rows(values))
        }
    }

    /// Ends a query or a statement of a sync that is running, which throws then. Does nothing if there is none.
    package func interrupt() {
        connections.withLock { for database in $0 { database.interrupt() } }
    }

    /// Closes the file, as deinitialization does. No auxiliary files remain next to it, so it can be moved.
    public func close() {
        // Only the last connection removes them, and only one that may write.
        reader.withLock { reader in
            connections.withLock { $0 = [] }
            reader = nil
        }
        database.withLock { $0 = nil }
    }

    deinit { close() }

    /// Writes values as a sync of Exist does: a range of days of several attributes in one transaction.
    ///
    /// - Parameter rows: The rows of each attribute. Each has the account's ID, the attribute, day, and value.
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

    /// Runs `body` in a transaction, which is rolled back if it throws.
    func write<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try read { database in try database.transaction { try body(database) } }
    }

    func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try database.withLock { database in
            guard let database else { throw isClosed }
            return try body(database)
        }
    }

    private var isClosed: DatabaseError { DatabaseError(.unusableFile, "\(path) was closed.") }
}
