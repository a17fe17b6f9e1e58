import ExistKit
import Foundation
import MyDataHelpsKit
import Pledge
import PledgeFiles

/// A user's own data in an ordinary SQLite file, kept up to date by syncing.
///
/// ```swift
/// let history = try History("tracking.db")
/// history.sync(existAPI).done { summary in
///     print(summary, try history.query("SELECT * FROM latest").rows)
/// }
/// ```
///
/// The article <doc:Tables> describes the tables. Errors of the file are of the type ``DatabaseError``.
public final class History: Sendable {
    /// The open database, or nil after the history is closed.
    private let database: Locked<Database?>
    /// The connection for queries, opened for the first one. A query affects no sync, and waits for none.
    private let reader = Locked<Database?>(nil)
    /// The databases whose statements can be interrupted, since the locks above are held while statements run.
    let connections = Locked<[Database]>([])
    /// The path of the file.
    public let path: String
    /// The queue a sync runs on. SQLite may block while another program writes; no other handlers should wait for that.
    let queue = DispatchQueue(label: "pledge.history", qos: .userInitiated)

    /// Opens a file for writing, creating it for its owner only (mode 600) if needed.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - lockWait: How long to wait, in seconds, while another program writes to the file, such as a backup.
    ///   - onLockWait: Called, with these seconds, in each such wait that has lasted five seconds.
    /// - Throws: ``DatabaseError``, also if another sync has the file open, or if another program created it.
    public init(
        _ path: String, lockWait: TimeInterval = 10, onLockWait: (@Sendable (_ seconds: TimeInterval) -> Void)? = nil
    ) throws {
        let database = try Database(writing: path)
        database.lockWait = LockWait(seconds: lockWait, announce: onLockWait)
        let isNew = try !Schema.isThere(in: database)
        // Twice SQLite's default, for new files: a nightly sync touches fewer pages, which saves 12 % of its time.
        try database.run("PRAGMA page_size = 8192")
        _ = try database.value("PRAGMA journal_mode = WAL")
        try database.run("PRAGMA synchronous = NORMAL")
        // Overwrites deleted and changed contents as well.
        _ = try database.value("PRAGMA secure_delete = ON")
        if isNew { try Schema.create(in: database) }
        try database.run("PRAGMA foreign_keys = ON")
        self.database = Locked(database)
        connections.withLock { $0.append(database) }
        self.path = path
    }

    /// Opens an existing file for reading only, even while a sync is in progress.
    public init(reading path: String) throws {
        let database = try Database(reading: path)
        guard try Schema.isThere(in: database) else {
            throw DatabaseError(.unusableFile, "\(path) has no history in it yet: “pledge sync” fills it.")
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

    /// Runs a query on the synced data: a single SQL statement that returns rows and changes nothing, with the values
    /// for its question marks.
    public func query(_ sql: String, _ values: [SQLValue] = []) throws -> QueryResult {
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
            return QueryResult(columns: statement.columns, rows: try statement.rows(values))
        }
    }

    /// The services whose accounts a history can hold.
    public enum Service: String, CaseIterable, Sendable {
        /// Exist; an account of it belongs to a user.
        case exist
        /// MyDataHelps; an account of it belongs to a participant of a project.
        case mydatahelps
    }

    /// Erases an account with everything that is stored for it, and writes the file anew, so that nothing of it is left
    /// in unused parts, whenever it was deleted or changed. While that lasts, it takes as much room again. Copies and
    /// backups are not reached.
    ///
    /// - Returns: The number of erased rows in each table; nil if there is no such account.
    /// - Throws: ``DatabaseError``, also if a reader keeps former contents in the journal: erase it again then, which
    ///   is never an error for an account that is gone.
    @discardableResult
    public func forget(_ name: String, of service: Service) throws -> [String: Int]? {
        let erased = try erase(name, of: service)
        try compact()
        return erased
    }

    /// Deletes an account, whose bytes may stay in unused parts of the file until ``compact()``.
    package func erase(_ name: String, of service: Service) throws -> [String: Int]? {
        try write { database -> [String: Int]? in
            let account = try database.value(
                "SELECT id FROM account WHERE service = ? AND name = ?", [.text(service.rawValue), .text(name)])
            guard account != .null else { return nil }
            var rows = ["account": 1]
            // The file's trigger is for other programs: triggers are off here.
            for table in Schema.children {
                let count = try database.run("DELETE FROM \(table) WHERE account = ?", [account])
                if count > 0 { rows[table] = count }
            }
            try database.run("DELETE FROM account WHERE id = ?", [account])
            try database.run(Schema.unusedProjects)
            return rows
        }
    }

    /// Writes the file anew, without unused parts, and empties its journal, which holds former contents. While that
    /// lasts, it takes as much room again.
    public func compact() throws {
        try read { try $0.vacuum() }
        guard try read({ try $0.value("PRAGMA wal_checkpoint(TRUNCATE)") }) == 0 else {
            throw DatabaseError(
                .busy,
                "\(path) is being read by another program, which keeps its journal from being emptied: run this "
                    + "again when that has ended.")
        }
    }

    /// Copies the database into a file as it is at this moment, even while a sync writes it, and checks the copy. Only
    /// the owner can access the file. An existing database is replaced as a whole; a failure leaves it unchanged.
    public func backUp(to target: String) throws {
        do {
            let location = try OutputPath(target)
            try location.refuseSharedFolder()
            // Not opened: closing it would release the locks that SQLite holds on it in this process.
            guard FileIdentity(path: path) != FileIdentity(path: target) else {
                throw DatabaseError(.notOurs, "\(target) is the database itself: choose another file.")
            }
            for journal in ["-wal", "-journal"].map({ OutputPath(location, $0) })
            where try journal.isTaken && journal.openFile(O_RDONLY).length() > 0 {
                throw DatabaseError(
                    .busy,
                    "\(journal.named) has changes to \(target), which the copy would get: end the runs that write it, "
                        + "or remove both files, and run this again.")
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
            // SQLite reports no error if it cannot remove the journal.
            unlink(file + "-journal")
            try copy.replaceOriginal()
        } catch let error as FileError {
            throw DatabaseError(error)
        } catch let error as DatabaseError where error.kind == .full {
            throw DatabaseError(
                .full, "\(target) cannot be written: its disk is full or fails. Free some space, and run this again.")
        }
    }

    /// Ends a query or a statement of a sync that is running, which throws then. Does nothing if there is none.
    package func interrupt() {
        connections.withLock { for database in $0 { database.interrupt() } }
    }

    /// Closes the file, as deinitialization does. No auxiliary files remain next to it, so it can be moved, and read by those
    /// who can write neither the file nor its folder. If another program has it open, the next history to close does this.
    public func close() {
        // Only the last connection removes them, and only one that may write.
        reader.withLock { reader in
            connections.withLock { $0 = [] }
            reader = nil
        }
        database.withLock { $0 = nil }
    }

    deinit { close() }

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

extension History {
    /// Updates the stored data of an Exist account.
    ///
    /// The first sync reads everything, later ones what may have changed; <doc:Tables> describes how much that is. Each
    /// response is written immediately, together with a bookmark, so a sync can be interrupted at any time.
    ///
    /// - Parameters:
    ///   - existAPI: The client of the account.
    ///   - name: The name of the account in the history. The default is its user name.
    ///   - options: The options that control the sync.
    /// - Rejects: With `ExistError` or ``DatabaseError``; with ``IdentityChange`` if the token belongs to another person
    ///   than the account, or does so later. What was written until then remains.
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

    /// Updates the stored data of a MyDataHelps participant; the default of `name` is the participant identifier.
    ///
    /// - Parameters:
    ///   - session: The session of the participant.
    ///   - name: The name of the account in the history.
    ///   - serviceAccount: A service account of the participant's project, which reads version 2 of the device data, such
    ///     as Google Health. Without one, that is left out, because participants' tokens have no known access to it.
    ///   - options: The options that control the sync.
    /// - Rejects: With `MyDataHelpsError`, ``DatabaseError``, or ``IdentityChange``. What was written until then remains.
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

    /// Returns the accounts of which the last sync left something out of date, with the error's code; nil if
    /// interrupted.
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
                // The token may belong to someone else.
                run.record(note: "“\(name.prefix(40))” is a new account here, beside “\(other.prefix(40))”.")
            }
            return run.following { owner().then(on: self.queue) { try steps(run, $0) } }
        }
        return firstly {
            // If the name is given, even a failure to read the owner can be recorded.
            if let name { return try run(name, owner) }
            return owner().then(on: self.queue) { owner in try run(ownName(owner)) { .value(owner) } }
        }
    }
}

/// The options that control a sync.
public struct SyncOptions: Sendable {
    /// The number of days before the last sync that are read again, because services correct past values.
    public var overlap = 14
    /// Returns the current time, which is recorded for each sync. What to request depends on the services' clocks; this
    /// one only keeps a timestamp in the future from becoming a bookmark.
    public var now: @Sendable () -> Date = { Date() }
    /// Called between requests. Returning true ends the sync in the same way as canceling it.
    public var isStopped: @Sendable () -> Bool = { false }
    /// Returns the description of an error to record. Use it to remove anything that must not be stored.
    public var describe: @Sendable (any Error) -> String = { "\($0)" }
    /// Whether to read everything again, as the first sync did. That finds corrections and removals of any age.
    public var isFull = false
    /// The number of days after which a sync reads everything again by itself; nil for never. Accounts of a history
    /// take turns, so that about as many do on each day.
    public var fullEvery: Int?
    /// Whether to mark all rows that the service no longer has, however many. Without it, a list that lacks more than
    /// ten rows, and more than a hundredth of the account's in that table, is taken for a fault of the service: nothing
    /// is marked, and each sync says so until the rows are back.
    public var acceptsRemovals = false
    /// Returns whether an account may belong to another person than before, who may just have another name now.
    public var acceptsIdentity: @Sendable (_ account: String) -> Bool = { _ in false }
    /// Called with the number of requests left, as far as known.
    public var onProgress: @Sendable (_ requestsLeft: Int) -> Void = { _ in }

    /// Returns a code for an error.
    package var kind: @Sendable (any Error) -> String = { $0.kindAndStatus.kind }
    /// The address of the account's server if not the default one: an account never mixes data of two servers.
    package var address: String?

    /// Creates the default options, which suit syncing a user's own data at least once a day.
    public init() {}
}
