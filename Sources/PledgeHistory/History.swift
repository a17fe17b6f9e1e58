import ExistKit
import Foundation
import MyDataHelpsKit
import Pledge
import PledgeFiles

/// A SQLite file with a user's own data from Exist or MyDataHelps. Each sync brings the file up to date.
///
/// ```swift
/// let history = try History("tracking.db")
/// history.sync(existAPI).done { summary in
///     print(summary, try history.query("SELECT * FROM latest").rows)
/// }
/// ```
///
/// The article <doc:Tables> describes the tables. If the file cannot be used, methods throw a ``DatabaseError``.
public final class History: Sendable {
    /// The open database, or nil after the history was closed.
    private let database: Locked<Database?>
    /// The connection for queries, which is opened for the first query. Queries have a connection of their own, so that
    /// they neither affect a sync nor wait for one.
    private let reader = Locked<Database?>(nil)
    /// The databases whose statements can be interrupted. They are stored here, too, because `database` and `reader`
    /// are locked while statements run, so an interrupt would have to wait.
    let connections = Locked<[Database]>([])
    /// The path of the file.
    public let path: String
    /// The queue that syncs run on. SQLite may block this queue while another program writes to the file. It is a queue
    /// of its own, so that no other handlers have to wait then.
    let queue = DispatchQueue(label: "pledge.history", qos: .userInitiated)

    /// Opens a history for writing. If the file does not exist, this creates it, so that only its owner can access it
    /// (mode 600).
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - lockWait: The maximum number of seconds to wait while another program, such as a backup, locks the file.
    ///   - onLockWait: Called when such a wait has lasted five seconds. The argument is the value of `lockWait`.
    /// - Throws: ``DatabaseError`` if the file cannot be opened or created, if another sync has it open, or if another
    ///   program created it.
    public init(
        _ path: String, lockWait: TimeInterval = 10, onLockWait: (@Sendable (_ seconds: TimeInterval) -> Void)? = nil
    ) throws {
        let database = try Database(writing: path)
        database.lockWait = LockWait(seconds: lockWait, announce: onLockWait)
        let isNew = try !Schema.isThere(in: database)
        // A new file gets pages of 8 KiB, twice SQLite's default. This saves 12 % of the time of a nightly sync,
        // because the sync touches fewer pages.
        try database.run("PRAGMA page_size = 8192")
        _ = try database.value("PRAGMA journal_mode = WAL")
        try database.run("PRAGMA synchronous = NORMAL")
        // Makes SQLite overwrite deleted and replaced contents with zeros, so that they don't stay in the file.
        _ = try database.value("PRAGMA secure_delete = ON")
        if isNew { try Schema.create(in: database) }
        try database.run("PRAGMA foreign_keys = ON")
        self.database = Locked(database)
        connections.withLock { $0.append(database) }
        self.path = path
    }

    /// Opens an existing history for reading only. This is possible even while another program is syncing into it.
    public init(reading path: String) throws {
        let database = try Database(reading: path)
        guard try Schema.isThere(in: database) else {
            throw DatabaseError(.unusableFile, "\(path) has no history yet: “pledge sync” fills it.")
        }
        self.database = Locked(database)
        connections.withLock { $0.append(database) }
        self.path = path
    }

    /// The result of a query.
    public struct QueryResult: Equatable, Sendable {
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
    public func query(_ sql: String, _ values: [SQLValue] = []) throws -> QueryResult {
        try reader.withLock { reader in
            if reader == nil, connections.withLock({ !$0.isEmpty }) {
                let database = try Database(reading: path)
                connections.withLock { $0.append(database) }
                reader = database
            }
            guard let reader else { throw isClosed }
            // The prepared statement is not cached. A program may run any number of different queries, and the cache
            // would keep them all.
            let statement = try reader.prepare(sql)
            guard statement.onlyReads else {
                throw DatabaseError(.readOnly, "“\(sql.prefix(200))” is not a query, and was not run.")
            }
            return QueryResult(columns: statement.columns, rows: try statement.rows(values))
        }
    }

    /// A service whose accounts a history can store.
    public enum Service: String, CaseIterable, Sendable {
        /// The service Exist. An account belongs to a user.
        case exist
        /// The service MyDataHelps. An account belongs to a participant of a project.
        case mydatahelps
    }

    /// Erases an account with all its data, and rewrites the file.
    ///
    /// Rewriting makes sure that none of the account's data is left in unused parts of the file, not even data that was
    /// deleted or changed long ago. It needs as much additional disk space as the file has. Copies and backups of the
    /// file are not changed.
    ///
    /// - Returns: The number of erased rows in each table; nil if there is no such account.
    /// - Throws: ``DatabaseError``. One reason is that another program is reading the file, so that the journal cannot
    ///   be emptied. Call this method again when that program has finished. Erasing an account that is already gone
    ///   succeeds.
    @discardableResult
    public func forget(_ name: String, of service: Service) throws -> [String: Int]? {
        let erased = try erase(name, of: service)
        try compact()
        return erased
    }

    /// Deletes an account with all its data, but does not rewrite the file. Parts of the data may stay in unused parts
    /// of the file until ``compact()`` is called.
    package func erase(_ name: String, of service: Service) throws -> [String: Int]? {
        try transaction { database -> [String: Int]? in
            let account = try database.value(
                "SELECT id FROM account WHERE service = ? AND name = ?", [.text(service.rawValue), .text(name)])
            guard account != .null else { return nil }
            var rows = ["account": 1]
            // Deleting the account would delete these rows as well, because their foreign keys cascade. They are
            // deleted table by table in order to count them.
            for table in Schema.children {
                let count = try database.run("DELETE FROM \(table) WHERE account = ?", [account])
                if count > 0 { rows[table] = count }
            }
            try database.run("DELETE FROM account WHERE id = ?", [account])
            // The file has a trigger that does this for other programs. This program turns triggers off.
            try database.run(Schema.unusedProjects)
            return rows
        }
    }

    /// Rewrites the file without unused parts, and empties its journal. Both may contain data that was deleted or
    /// changed. Rewriting needs as much additional disk space as the file has.
    public func compact() throws {
        try withDatabase { try $0.vacuum() }
        guard try withDatabase({ try $0.value("PRAGMA wal_checkpoint(TRUNCATE)") }) == 0 else {
            throw DatabaseError(
                .busy,
                "\(path) is being read by another program, so its journal cannot be emptied: run this again "
                    + "when that program has ended.")
        }
    }

    /// Copies the database to another file, and checks the copy. The copy has the state of this moment, even if a sync
    /// is running. Only the owner can access the copy.
    ///
    /// If there already is a database at the target, the copy replaces it. If copying fails, the existing database is
    /// not changed.
    public func backUp(to target: String) throws {
        do {
            let location = try OutputPath(target)
            try location.refuseSharedFolder()
            // The files are compared without opening them. If the target is the database itself, opening and closing it
            // would release the locks that SQLite holds on it in this process.
            guard FileIdentity(path: path) != FileIdentity(path: target) else {
                throw DatabaseError(.notOurs, "\(target) is the database itself: choose another file.")
            }
            for journal in ["-wal", "-journal"].map({ OutputPath(location, $0) })
            where try journal.isTaken && journal.openFile(O_RDONLY).length() > 0 {
                throw DatabaseError(
                    .busy,
                    "\(journal.path) still has changes to \(target), which would get into the copy: stop the runs "
                        + "that write \(target), or remove both files, and run this again.")
            }
            let old = location.isTaken ? try location.openFile(O_RDWR) : nil
            guard try old?.isDatabase ?? true else {
                throw DatabaseError(.notOurs, "\(target) is not a database, and was not changed: choose another file.")
            }
            let copy = try Replacement(of: location, old: old)
            let file = location.resolvedFolder + "/" + copy.temporary
            try withDatabase { try $0.vacuum(into: file) }
            let found = try Database(reading: file).value("PRAGMA integrity_check")
            guard found == "ok" else { throw DatabaseError(.corrupt, DatabaseError.corrupt(path, "\(found)")) }
            // SQLite may have left the journal of the copy behind, because it reports no error if it cannot remove it.
            unlink(file + "-journal")
            try copy.replaceOriginal()
        } catch let error as FileError {
            throw DatabaseError(error)
        } catch let error as DatabaseError where error.kind == .full {
            throw DatabaseError(
                .full, "\(target) cannot be written: its disk is full or fails. Free some space, and run this again.")
        }
    }

    /// Interrupts the statements that are running at the moment, in queries and syncs. An interrupted statement throws
    /// an error.
    package func interrupt() {
        connections.withLock { for database in $0 { database.interrupt() } }
    }

    /// Closes the file. Deinitialization does the same.
    ///
    /// Usually, no auxiliary files then remain beside the file. So the file can be moved, and users who may not write
    /// in its folder can read it. While another program has the file open, the auxiliary files remain. They are removed
    /// when the last history that was opened for writing is closed.
    public func close() {
        // The connection for queries is closed first. SQLite removes the auxiliary files when the last connection is
        // closed, but only if that connection may write.
        reader.withLock { reader in
            connections.withLock { $0 = [] }
            reader = nil
        }
        database.withLock { $0 = nil }
    }

    deinit { close() }

    /// Runs `body` in a transaction. If `body` throws an error, the transaction is rolled back.
    func transaction<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try withDatabase { database in try database.transaction { try body(database) } }
    }

    func withDatabase<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try database.withLock { database in
            guard let database else { throw isClosed }
            return try body(database)
        }
    }

    private var isClosed: DatabaseError { DatabaseError(.unusableFile, "\(path) was closed.") }
}

extension History {
    /// Returns the accounts that their last sync did not bring up to date. `kind` is the code of the sync's error; nil
    /// if the sync was interrupted.
    package func failures() throws -> [(service: Service, account: String, kind: String?)] {
        try query(
            """
            SELECT service, name, kind FROM account
            JOIN sync_run ON sync_run.id = (SELECT max(id) FROM sync_run WHERE account = account.id)
            WHERE outcome IS NOT 'done' OR kind NOTNULL
            """
        ).rows.compactMap { row in
            guard let service = row[0].text.flatMap(Service.init), let name = row[1].text else { return nil }
            return (service, name, row[2].text)
        }
    }
}
