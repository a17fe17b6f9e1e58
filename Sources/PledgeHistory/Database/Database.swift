import Foundation
import Pledge
import PledgeFiles
import PledgeLibraries

/// An open SQLite database, with prepared statements, transactions, and readable errors. Only one thread at a time may
/// use it. ``History`` ensures that with locks.
final class Database {
    let handle: OpaquePointer
    // The lock that keeps other processes from syncing into the database. SQLite's own locks last only for one
    // transaction. Between two transactions of a sync, another sync could read the same lists and move their bookmarks.
    //
    // The lock is stored here so that it is released after `deinit` has closed the database.
    private let claim: FileClaim?
    /// The location of the database, and the identity of the file that was opened there; nil if the database is open
    /// only for reading.
    private let location: (path: OutputPath, file: FileIdentity?)?
    /// The path of the file, as error messages show it.
    let file: String
    // The prepared statements, by their SQL. They are cached because preparing a statement usually takes longer than
    // running it.
    private(set) var statements: [String: Statement] = [:]
    private var tables: [String: Table] = [:]
    /// How long and in which way a statement waits while another program is writing.
    var lockWait = LockWait()
    /// The length of the current wait in seconds, and the value of `interrupts` when that wait began.
    private var wait = (seconds: 0.0, interrupts: 0)
    private let interrupts = Locked(0)

    /// Opens a file for writing. If it does not exist, this creates it so that only its owner can access it.
    convenience init(writing path: String) throws {
        try Self.check(path)
        let (file, claim): (OutputPath, FileClaim)
        do {
            file = try OutputPath(path)
            try file.refuseSharedFolder()
            guard let free = try FileClaim(beside: file) else {
                throw DatabaseError(
                    .busy, "Another sync into \(path) is in progress: wait until it ends, or stop it.")
            }
            claim = free
            // A new file is created here, so that only its owner can access it. If SQLite created it, the process's
            // umask might let other users read it. An existing file is not opened here: closing it again would release
            // all locks that SQLite holds on it in this process.
            if !file.isTaken { _ = try file.openFile(O_RDWR | O_CREAT | O_EXCL) }
            // The files beside the database file are part of the database, so they are checked, too.
            for suffix in ["", "-wal", "-shm", "-journal"] { try OutputPath(file, suffix).check() }
            if access(file.resolved, W_OK) != 0 { throw FileError(writing: path, errno) }
        } catch let error as FileError {
            throw DatabaseError(error)
        }
        try self.init(
            path, Self.address(file.resolved),
            PLEDGE_SQLITE_OPEN_READWRITE.rawValue | PLEDGE_SQLITE_OPEN_NOFOLLOW.rawValue, claim: claim, at: file)
    }

    /// Opens an existing file for reading only.
    convenience init(reading path: String) throws {
        try Self.check(path)
        let real = realpath(path, nil)
        defer { free(real) }
        guard let real, access(real, R_OK) == 0 else {
            throw DatabaseError(.unusableFile, "\(path) cannot be opened: \(String(cString: strerror(errno))).")
        }
        let file = String(cString: real)
        let opensAsImmutable = try Self.opensAsImmutable(file, named: path)
        try self.init(
            path, Self.address(file) + (opensAsImmutable ? "?immutable=1" : ""), PLEDGE_SQLITE_OPEN_READONLY.rawValue,
            claim: nil
        )
    }

    /// Returns whether to open a database as immutable. SQLite then neither reads the files beside the database nor
    /// creates any.
    ///
    /// There are two reasons to do so:
    /// - Other users have permission to write in the folder, so they may have put such files there.
    /// - The reader has no permission to create files in the folder. If a sync was killed, or another program has the
    ///   database open, SQLite would have to create a file there in order to read the database.
    private static func opensAsImmutable(_ file: String, named path: String) throws -> Bool {
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent().path
        var database = stat()
        var place = stat()
        guard stat(file, &database) == 0, stat(folder, &place) == 0 else { return false }
        let beside = ["-wal", "-shm", "-journal"].filter { suffix in
            var status = stat()
            return lstat(file + suffix, &status) == 0
        }
        guard OutputPath.isShared(place, by: database.st_uid) else {
            // SQLite itself tests whether it can read the database. If this code opened and closed the file, that would
            // release the locks that SQLite holds on the file in this process.
            return access(folder, W_OK) != 0 && !beside.contains("-wal")
                && (try? Database(path, address(file), PLEDGE_SQLITE_OPEN_READONLY.rawValue, claim: nil)
                    .value("PRAGMA schema_version")) == nil
        }
        let foreign = beside.first { suffix in
            var status = stat()
            return lstat(file + suffix, &status) != 0 || status.st_uid != database.st_uid
        }
        guard let foreign, beside.contains("-wal"), foreign != "-wal" else { return foreign != nil || beside.isEmpty }
        throw DatabaseError(
            .unusableFile,
            "\(path) has its latest changes in \(path)-wal, and another user has put \(path)\(foreign) beside it: "
                + "remove that file, and choose a folder where others may not write.")
    }

    /// Opens an empty database in memory, without a file.
    static func inMemory() throws -> Database {
        try load()
        return try Database("", "file:?mode=memory", PLEDGE_SQLITE_OPEN_READWRITE.rawValue, claim: nil)
    }

    private init(
        _ path: String, _ address: String, _ flags: UInt32, claim: FileClaim?, at location: OutputPath? = nil
    ) throws {
        // SQLite's own mutexes are turned off, because ``History`` protects each connection with a lock.
        var handle: OpaquePointer?
        let flags = flags | PLEDGE_SQLITE_OPEN_URI.rawValue | PLEDGE_SQLITE_OPEN_NOMUTEX.rawValue
        let code = pledge_sqlite_open(address, &handle, Int32(flags))
        guard let handle else { throw DatabaseError(code: code, message: "out of memory", file: path) }
        guard code == 0 else {
            defer { _ = pledge_sqlite_close(handle) }
            throw DatabaseError(code: code, message: String(cString: pledge_sqlite_message(handle)), file: path)
        }
        self.handle = handle
        self.claim = claim
        self.location = location.map { ($0, $0.identity) }
        file = path
        // A handler of our own waits for locks. SQLite's built-in timeout could neither report a wait nor be
        // interrupted.
        let context = Unmanaged.passUnretained(self).toOpaque()
        _ = pledge_sqlite_busy_handler(
            handle,
            { context, attempts in
                guard let context else { return 0 }
                return Unmanaged<Database>.fromOpaque(context).takeUnretainedValue().waitForLock(attempts) ? 1 : 0
            }, context)
    }

    /// Loads the SQLite library, unless it is already loaded.
    private static func load() throws {
        if let problem = pledge_sqlite_load() {
            throw DatabaseError.missing(String(cString: problem))
        }
    }

    /// Checks that the SQLite library is available, and that the path can name a database. It must name a regular file,
    /// or a file that does not exist yet.
    private static func check(_ path: String) throws {
        try load()
        guard path != ":memory:" else {
            throw DatabaseError(
                .unusableFile, "\(path) isn't a file, so its data would be lost when the run ends. Choose a file.")
        }
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return }
        let isFolder = status.st_mode & S_IFMT == S_IFDIR
        throw DatabaseError(
            .unusableFile,
            isFolder
                ? "\(path) is a folder: choose a file in it." : "\(path) is not a regular file: choose another one.")
    }

    /// Waits because a statement has found the database locked. Returns whether SQLite should try to run the statement
    /// again.
    ///
    /// - Parameter attempts: The number of times that the statement has been tried again so far.
    private func waitForLock(_ attempts: Int32) -> Bool {
        let interrupts = interrupts.withLock { $0 }
        if attempts == 0 { wait = (0, interrupts) }
        guard wait.seconds < lockWait.seconds, wait.interrupts == interrupts else { return false }
        let pause = min(0.1, 0.001 * pow(2, Double(attempts)))
        let isLong = wait.seconds < LockWait.shortestAnnounced && wait.seconds + pause >= LockWait.shortestAnnounced
        wait.seconds += pause
        lockWait.pause(pause)
        if isLong { lockWait.announce?(lockWait.seconds) }
        return true
    }

    /// Interrupts the statements that are running or wait for a lock. Any thread may call this, but the database must
    /// not be closed during the call.
    func interrupt() {
        interrupts.withLock { $0 += 1 }
        pledge_sqlite_interrupt(handle)
    }

    private static func address(_ file: String) -> String {
        "file:\(file.hasPrefix("/") ? "//" : "")\(escaped(file))"
    }

    private static func escaped(_ file: String) -> String {
        let plain = CharacterSet(charactersIn: "/-._").union(.alphanumerics)
        return file.addingPercentEncoding(withAllowedCharacters: plain) ?? file
    }

    deinit {
        // SQLite does not close a connection that still has prepared statements.
        statements = [:]
        // If a database has a write-ahead log, a reader has to create another file beside it, and not every reader has
        // permission to do that. So the last writer switches the log off when it closes the database. That fails while
        // another program has the database open. In that case, the next writer switches the log off.
        if let location, location.path.identity == location.file {
            _ = pledge_sqlite_run(handle, "PRAGMA journal_mode = DELETE")
        }
        _ = pledge_sqlite_close(handle)
    }

    /// Runs a single statement to its end. Returns the number of rows that the statement inserted, changed, or deleted.
    @discardableResult
    func run(_ sql: String, _ values: [SQLValue] = []) throws -> Int {
        try statement(sql).run(values)
        return changes
    }

    /// The number of rows that the last statement inserted, changed, or deleted.
    var changes: Int { Int(pledge_sqlite_changes(handle)) }

    /// Returns all rows of a query.
    func rows(_ sql: String, _ values: [SQLValue] = []) throws -> [[SQLValue]] {
        try statement(sql).rows(values)
    }

    /// Returns the first column of the first row, or null if there are no rows.
    func value(_ sql: String, _ values: [SQLValue] = []) throws -> SQLValue {
        try rows(sql, values).first?.first ?? .null
    }

    /// Runs `body` in a transaction. If `body` throws an error, the transaction is rolled back. The transaction takes
    /// the write lock at its start, because SQLite cannot wait for that lock in the middle of a transaction.
    func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        if let location, location.path.identity != location.file { throw DatabaseError.replaced(file) }
        try run("BEGIN IMMEDIATE")
        do {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            // After some errors, such as a full disk, SQLite has already rolled back the transaction.
            if pledge_sqlite_autocommit(handle) == 0 { _ = try? run("ROLLBACK") }
            throw error
        }
    }

    /// Runs a script of several statements that return no rows.
    func runAll(_ script: String) throws { try check(pledge_sqlite_run(handle, script)) }

    /// Rewrites the file without deleted contents. If there is a target, leaves the file unchanged, and writes the
    /// result to the target, which must be an empty file.
    func vacuum(into target: String? = nil) throws {
        let into = target.map { " INTO '\($0.replacingOccurrences(of: "'", with: "''"))'" } ?? ""
        try check(pledge_sqlite_vacuum(handle, "VACUUM\(into)"))
    }

    private func check(_ code: Int32) throws {
        guard code != 0 else { return }
        throw DatabaseError(code: code, message: String(cString: pledge_sqlite_message(handle)), file: file)
    }

    /// Returns the description of a table, with the columns and keys that the file declares.
    func table(_ name: String) throws -> Table {
        if let known = tables[name] { return known }
        let columns = try rows("SELECT name, pk FROM pragma_table_info(?) ORDER BY pk = 0, pk, cid", [.text(name)])
        let table = Table(name, columns.compactMap(\.[0].text), keys: columns.count { $0[1] != 0 })
        tables[name] = table
        return table
    }

    /// Returns a prepared statement from the cache. A statement is prepared when it is first used.
    func statement(_ sql: String) throws -> Statement {
        if let known = statements[sql] { return known }
        let statement = try prepare(sql)
        statements[sql] = statement
        return statement
    }

    func prepare(_ sql: String) throws -> Statement { try Statement(sql, of: handle, file: file) }
}

/// How a statement waits while another program writes to the database.
struct LockWait: Sendable {
    static let shortestAnnounced = 5.0

    var seconds: TimeInterval = 10
    /// Called once when a wait has lasted five seconds. The argument is the maximum length of the wait, in seconds.
    var announce: (@Sendable (TimeInterval) -> Void)?
    var pause: @Sendable (TimeInterval) -> Void = { Thread.sleep(forTimeInterval: $0) }
}
