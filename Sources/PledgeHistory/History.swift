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
        try write { database -> [String: Int]? in
            let account = try database.value(
                "SELECT id FROM account WHERE service = ? AND name = ?", [.text(service.rawValue), .text(name)])
            guard account != .null else { return nil }
            var rows = ["account": 1]
            // The file has a trigger that deletes the rows of a deleted account, but this program turns triggers off.
            // The trigger only helps other programs, so the rows are deleted here.
            for table in Schema.children {
                let count = try database.run("DELETE FROM \(table) WHERE account = ?", [account])
                if count > 0 { rows[table] = count }
            }
            try database.run("DELETE FROM account WHERE id = ?", [account])
            try database.run(Schema.unusedProjects)
            return rows
        }
    }

    /// Rewrites the file without unused parts, and empties its journal. Both may contain data that was deleted or
    /// changed. Rewriting needs as much additional disk space as the file has.
    public func compact() throws {
        try read { try $0.vacuum() }
        guard try read({ try $0.value("PRAGMA wal_checkpoint(TRUNCATE)") }) == 0 else {
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
                    "\(journal.named) still has changes to \(target), which would get into the copy: stop the runs "
                        + "that write \(target), or remove both files, and run this again.")
            }
            let old = location.isTaken ? try location.openFile(O_RDWR) : nil
            guard try old?.isDatabase ?? true else {
                throw DatabaseError(.notOurs, "\(target) is not a database, and was not changed: choose another file.")
            }
            let copy = try Replacement(of: location, old: old)
            let file = String(location.resolved.dropLast(location.name.count) + copy.temporary)
            try read { try $0.vacuum(into: file) }
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

extension History {
    /// Syncs the data of an Exist account into the history.
    ///
    /// The first sync reads all data. Later syncs read only the data that may have changed; see <doc:Tables> for the
    /// details.
    ///
    /// Each response is written immediately, together with a bookmark from which the next sync continues. So a sync can
    /// be interrupted at any time.
    ///
    /// - Parameters:
    ///   - existAPI: The client of the account.
    ///   - name: The name of the account in the history. The default is the user name in Exist.
    ///   - options: The options that control the sync.
    /// - Rejects: With `ExistError`, ``DatabaseError``, or ``IdentityChange``. ``IdentityChange`` means that the token
    ///   does not belong to the person whose data the account has, or that it was replaced by another person's token
    ///   during the sync. The data that was written before an error stays in the history.
    /// - Cancellation: Cancels the request in progress and sends no further requests.
    public func sync(
        _ existAPI: ExistAPI, as name: String? = nil, options: SyncOptions = SyncOptions()
    ) -> Promise<SyncSummary> {
        let (existAPI, owner) = existAPI.ofOneOwner()
        return sync(
            .exist, as: name, options, counting: { existAPI.requestCount }, hiding: existAPI.hide, asking: owner,
            name: \.username
        ) {
            try ExistSync(existAPI: existAPI, run: $0, today: $1.today).all($1)
        }
    }

    /// Syncs the data of a MyDataHelps participant into the history.
    ///
    /// - Parameters:
    ///   - session: The session of the participant.
    ///   - name: The name of the account in the history. The default is the participant identifier.
    ///   - serviceAccount: A service account of the participant's project. It is used to read version 2 of the device
    ///     data, such as data from Google Health. If it is nil, a sync leaves out that data, because a participant's
    ///     token is not known to have access to it.
    ///   - options: The options that control the sync.
    /// - Rejects: With `MyDataHelpsError`, ``DatabaseError``, or ``IdentityChange``. The data that was written before
    ///   an error stays in the history.
    public func sync(
        _ session: ParticipantSession, as name: String? = nil, serviceAccount: ServiceAccount? = nil,
        options: SyncOptions = SyncOptions()
    ) -> Promise<SyncSummary> {
        let (session, owner) = session.ofOneOwner()
        return sync(
            .mydatahelps, as: name, options,
            counting: { session.requestCount + (serviceAccount?.ownRequestCount ?? 0) }, hiding: session.hide,
            asking: owner, name: \.participantIdentifier
        ) {
            try ParticipantSync(session: session, serviceAccount: serviceAccount, run: $0).all($1)
        }
    }

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

    private func sync<Owner: Sendable>(
        _ service: Service, as name: String?, _ options: SyncOptions, counting requests: @escaping @Sendable () -> Int,
        hiding hide: @escaping @Sendable (String) -> String, asking owner: @escaping @Sendable () -> Promise<Owner>,
        name ownName: @escaping @Sendable (Owner) -> String,
        _ steps: @escaping @Sendable (SyncRun, Owner) throws -> Promise<Void>
    ) -> Promise<SyncSummary> {
        let before = requests()
        let isOwn = name == nil
        @Sendable func run(
            _ name: String, _ owner: @escaping @Sendable () -> Promise<Owner>
        ) throws -> Promise<SyncSummary> {
            let run = try SyncRun(
                self, service: service.rawValue, name: name, options: options, hiding: hide
            ) { requests() - before }
            if isOwn, let other = run.other {
                // The caller gave no name, so the account got the name that its owner has in the service. The history
                // had no account with that name. The token may belong to someone else than the caller expects, so the
                // run gets a note.
                run.record(
                    note: "“\(name.prefix(40))” is a new account in this database, which already has "
                        + "“\(other.prefix(40))”.")
            }
            return run.following { owner().then(on: self.queue) { try steps(run, $0) } }
        }
        return firstly {
            // If the caller has given the name, the run can begin before the owner is read. Even a failure to read the
            // owner is then recorded.
            if let name { return try run(name, owner) }
            return owner().then(on: self.queue) { owner in try run(ownName(owner)) { .value(owner) } }
        }
    }
}

/// The options that control a sync.
public struct SyncOptions: Sendable {
    /// The number of days before the last sync that a sync reads again. Services may still correct the values of these
    /// days.
    public var overlap = 14
    /// Returns the current time, which a sync stores as the time of its run. The timestamps of the services determine
    /// what a sync requests. This clock only limits them, so that a sync never continues from a time in the future.
    public var now: @Sendable () -> Date = { Date() }
    /// Called between requests. If it returns true, the sync ends as if it had been canceled.
    public var isStopped: @Sendable () -> Bool = { false }
    /// Returns the description of an error. A sync stores this text in the history, so leave out anything that must not
    /// be stored.
    public var describe: @Sendable (any Error) -> String = { "\($0)" }
    /// Whether to read all data again, as the first sync did. Such a sync finds corrections and removals of any age.
    public var isFull = false
    /// The number of days after which a sync reads all data of an account again; nil for never. The accounts of a
    /// history are due on different days, so that a sync reads all data of about the same number of accounts each day.
    public var fullEvery: Int?
    /// Whether to mark rows as removed when the service no longer has them, no matter how many rows that are.
    ///
    /// If this is false, a sync assumes that the service is at fault when too many rows are missing: more than ten, and
    /// more than one percent of the account's rows in that table. The sync then marks none of these rows as removed. It
    /// reports a gap, and so does each later sync until the rows are back.
    public var acceptsRemovals = false
    /// Returns whether to sync an account although its token seems to belong to another person than before. That also
    /// happens if the same person has a new user name.
    public var acceptsIdentity: @Sendable (_ account: String) -> Bool = { _ in false }
    /// Called during a sync with an estimate of the number of requests that are left.
    public var onProgress: @Sendable (_ requestsLeft: Int) -> Void = { _ in }

    /// Returns the code of an error. A sync stores this code in the history.
    package var kind: @Sendable (any Error) -> String = \.kindName
    /// The address of the account's server; nil for the default server. A sync refuses to store the data of one server
    /// in an account that has the data of another server.
    package var address: String?

    /// Creates the default options. They suit a program that syncs a user's own data at least once a day.
    public init() {}
}
