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
    /// The connection for queries. It is opened for the first query. Queries don't affect a sync, and don't wait for
    /// one.
    private let reader = Locked<Database?>(nil)
    /// The databases whose statements can be interrupted. They are kept here because the locks above are held while
    /// statements run.
    let connections = Locked<[Database]>([])
    /// The path of the file.
    public let path: String
    /// The queue that a sync runs on. SQLite may block while another program writes, and no other handlers should wait
    /// for that.
    let queue = DispatchQueue(label: "pledge.history", qos: .userInitiated)

    /// Opens a file for writing, creating it for its owner only (mode 600) if needed.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - lockWait: The number of seconds to wait while another program, such as a backup, writes to the file.
    ///   - onLockWait: Called, with this number of seconds, when such a wait has lasted five seconds.
    /// - Throws: ``DatabaseError``. Also throws it if another sync has the file open, or if another program created the
    ///   file.
    public init(
        _ path: String, lockWait: TimeInterval = 10, onLockWait: (@Sendable (_ seconds: TimeInterval) -> Void)? = nil
    ) throws {
        let database = try Database(writing: path)
        database.lockWait = LockWait(seconds: lockWait, announce: onLockWait)
        let isNew = try !Schema.isThere(in: database)
        // The page size for new files is twice SQLite's default. A nightly sync then touches fewer pages, which saves
        // 12 % of its time.
        try database.run("PRAGMA page_size = 8192")
        _ = try database.value("PRAGMA journal_mode = WAL")
        try database.run("PRAGMA synchronous = NORMAL")
        // Makes SQLite overwrite deleted and changed contents.
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

    /// Runs a query on the synced data. It is a single SQL statement that returns rows and changes nothing. `values`
    /// replace its question marks.
    public func query(_ sql: String, _ values: [SQLValue] = []) throws -> QueryResult {
        try reader.withLock { reader in
            if reader == nil, connections.withLock({ !$0.isEmpty }) {
                let database = try Database(reading: path)
                connections.withLock { $0.append(database) }
                reader = database
            }
            guard let reader else { throw isClosed }
            // The statement is not cached, because a program may run any number of different queries.
            let statement = try reader.prepare(sql)
            guard statement.onlyReads else {
                throw DatabaseError(.readOnly, "“\(sql.prefix(200))” is not a query, and was not run.")
            }
            return QueryResult(columns: statement.columns, rows: try statement.rows(values))
        }
    }

    /// The services whose accounts a history can hold.
    public enum Service: String, CaseIterable, Sendable {
        /// Exist. An account belongs to a user.
        case exist
        /// MyDataHelps. An account belongs to a participant of a project.
        case mydatahelps
    }

    /// Erases an account with everything that is stored for it, and rewrites the file. Nothing of the account is then
    /// left in unused parts of the file, even if it was deleted or changed long ago. Rewriting needs as much additional
    /// disk space as the file has. Copies and backups of the file are not changed.
    ///
    /// - Returns: The number of erased rows in each table; nil if there is no such account.
    /// - Throws: ``DatabaseError``. Also throws it if a program that reads the file keeps former contents in the
    ///   journal. If so, erase the account again later: it is not an error if the account is already gone.
    @discardableResult
    public func forget(_ name: String, of service: Service) throws -> [String: Int]? {
        let erased = try erase(name, of: service)
        try compact()
        return erased
    }

    /// Deletes an account. Its bytes may stay in unused parts of the file until ``compact()``.
    package func erase(_ name: String, of service: Service) throws -> [String: Int]? {
        try write { database -> [String: Int]? in
            let account = try database.value(
                "SELECT id FROM account WHERE service = ? AND name = ?", [.text(service.rawValue), .text(name)])
            guard account != .null else { return nil }
            var rows = ["account": 1]
            // The file's trigger works only for other programs, because triggers are off here. So this deletes the
            // account's rows.
            for table in Schema.children {
                let count = try database.run("DELETE FROM \(table) WHERE account = ?", [account])
                if count > 0 { rows[table] = count }
            }
            try database.run("DELETE FROM account WHERE id = ?", [account])
            try database.run(Schema.unusedProjects)
            return rows
        }
    }

    /// Rewrites the file without unused parts, and empties its journal, which contains former contents. Rewriting needs
    /// as much additional disk space as the file has.
    public func compact() throws {
        try read { try $0.vacuum() }
        guard try read({ try $0.value("PRAGMA wal_checkpoint(TRUNCATE)") }) == 0 else {
            throw DatabaseError(
                .busy,
                "\(path) is being read by another program, so its journal cannot be emptied: run this again "
                    + "when that program has ended.")
        }
    }

    /// Copies the database into a file as it is at this moment, even while a sync writes it, and checks the copy. Only
    /// the owner can access the file. If there is a database at the target, it is replaced as a whole; if the copy
    /// fails, that database is unchanged.
    public func backUp(to target: String) throws {
        do {
            let location = try OutputPath(target)
            try location.refuseSharedFolder()
            // The files are compared without being opened, because closing a file would release the locks that SQLite
            // has on it in this process.
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

    /// Interrupts a query, or a statement of a sync, that is running. The statement then throws. If none is running,
    /// this does nothing.
    package func interrupt() {
        connections.withLock { for database in $0 { database.interrupt() } }
    }

    /// Closes the file, as deinitialization does. No auxiliary files remain next to it, so it can be moved, and people
    /// who can write neither the file nor its folder can read it. If another program has the file open, the auxiliary
    /// files remain until the last history that may write the file is closed.
    public func close() {
        // The reader is closed first. Only the last connection removes the auxiliary files, and only if it may write.
        reader.withLock { reader in
            connections.withLock { $0 = [] }
            reader = nil
        }
        database.withLock { $0 = nil }
    }

    deinit { close() }

    /// Runs `body` in a transaction. If `body` throws, the transaction is rolled back.
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
    /// The first sync reads everything; later ones read what may have changed. <doc:Tables> describes how much that is.
    /// Each response is written immediately, together with a bookmark, so a sync can be interrupted at any time.
    ///
    /// - Parameters:
    ///   - existAPI: The client of the account.
    ///   - name: The name of the account in the history. The default is its user name.
    ///   - options: The options that control the sync.
    /// - Rejects: With `ExistError` or ``DatabaseError``. Rejects with ``IdentityChange`` if the token belongs to
    ///   another person than the account does, or later brings another person's data. What was written before that
    ///   remains.
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

    /// Updates the stored data of a MyDataHelps participant. The default of `name` is the participant identifier.
    ///
    /// - Parameters:
    ///   - session: The session of the participant.
    ///   - name: The name of the account in the history.
    ///   - serviceAccount: A service account of the participant's project. It reads version 2 of the device data, such
    ///     as Google Health. Without a service account, that data is left out, because participants' tokens have no
    ///     known access to it.
    ///   - options: The options that control the sync.
    /// - Rejects: With `MyDataHelpsError`, ``DatabaseError``, or ``IdentityChange``. What was written before that
    ///   remains.
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

    /// Returns the accounts that are not up to date since their last sync, each with the code of its error. The code is nil
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
                // The token may belong to someone else.
                run.record(
                    note: "“\(name.prefix(40))” is a new account in this database, which already has "
                        + "“\(other.prefix(40))”.")
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
    /// Returns the current time. A sync records when it ran. The services' clocks determine what to request; this clock
    /// only prevents that a timestamp in the future becomes a bookmark.
    public var now: @Sendable () -> Date = { Date() }
    /// Called between requests. Returning true ends the sync in the same way as canceling it.
    public var isStopped: @Sendable () -> Bool = { false }
    /// Returns the description of an error, which the sync records. Use it to remove anything that must not be stored.
    public var describe: @Sendable (any Error) -> String = { "\($0)" }
    /// Whether to read everything again, as the first sync did. That finds corrections and removals of any age.
    public var isFull = false
    /// The number of days after which a sync reads everything again by itself; nil for never. The accounts of a history
    /// are spread over these days, so that about as many read everything on each day.
    public var fullEvery: Int?
    /// Whether to mark all rows that the service no longer has, however many they are. If false, a list that lacks many
    /// rows is taken for a fault of the service. It lacks many if more than ten are gone, and more than a hundredth of
    /// the account's rows in that table. No row is then marked, and each sync says so until the rows are back.
    public var acceptsRemovals = false
    /// Returns whether an account may belong to another person than before. That is also the case if the same person
    /// now has another name.
    public var acceptsIdentity: @Sendable (_ account: String) -> Bool = { _ in false }
    /// Called with the number of requests left, as far as that is known.
    public var onProgress: @Sendable (_ requestsLeft: Int) -> Void = { _ in }

    /// Returns a code for an error.
    package var kind: @Sendable (any Error) -> String = \.kindName
    /// The address of the account's server, if it is not the default one. An account never mixes the data of two
    /// servers.
    package var address: String?

    /// Creates the default options, which suit syncing a user's own data at least once a day.
    public init() {}
}
