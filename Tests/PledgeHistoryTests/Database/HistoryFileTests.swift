import Foundation
import Pledge
import PledgeFiles
import PledgeLibraries
import PledgeTestSupport
import Testing

@testable import PledgeHistory

@Suite("History files")
struct HistoryFileTests {
    private let scratch: TemporaryFolder
    init() throws { scratch = try TemporaryFolder() }

    private var path: String { scratch.path("a.db") }

    private func kind(_ body: () throws -> History) -> DatabaseError.Kind? {
        thrown(DatabaseError.self, by: body)?.kind
    }

    @Test("Prepared statements of ad hoc queries aren't kept")
    func queries() throws {
        let history = try History(path)
        let kept = try history.withDatabase { $0.statements.count }
        for number in 0..<50 {
            #expect(
                try history.query("SELECT \(number) AS number, ?", ["x"])
                    == History.QueryResult(columns: ["number", "?"], rows: [[.integer(number), "x"]]))
        }
        #expect(try history.withDatabase { $0.statements.count } == kept)
    }

    @Test("The database and the files beside it are accessible only to their owner")
    func mode() throws {
        let history = try History(path)
        try history.transaction { _ = try $0.run("INSERT INTO account (service, name) VALUES ('exist', 'maya')") }
        for name in ["a.db", "a.db-wal", "a.db-shm", "a.db-claim"] { #expect(scratch.mode(name) == 0o600, "\(name)") }
    }

    /// The modes and groups of folders in which others may write. Only root can give a folder to a group that it
    /// doesn't belong to.
    private static let sharedFolders: [(mode_t, gid_t)] =
        [(0o1777, getegid()), (0o703, getegid())]
        + (geteuid() == 0 ? [(0o770, 65_534), (0o775, 65_534), (0o2775, 65_534), (0o1730, 65_534)] : [])

    @Test(
        "No database is written in a folder where others may write, and other users' files there aren't used",
        arguments: sharedFolders)
    func sharedFolder(mode: mode_t, group: gid_t) throws {
        try History(path).close()
        // Puts a valid write-ahead log beside the database. The log contains a row that the database doesn't have.
        let copy = scratch.path("copy.db")
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        let other = try History(copy)
        try other.transaction { _ = try $0.run("INSERT INTO account (service, name) VALUES ('exist', 'mallory')") }
        try FileManager.default.copyItem(atPath: copy + "-wal", toPath: path + "-wal")
        let isOthers = geteuid() == 0 && chown(path + "-wal", 65_534, 65_534) == 0
        try #require(chown(scratch.path("."), uid_t.max, group) == 0 && chmod(scratch.path("."), mode) == 0)
        #expect(try History(reading: copy).accounts().map(\.name) == ["mallory"], "its own log counts")
        other.close()
        for write in [{ try History(path).close() }, { try other.backUp(to: path) }] as [() throws -> Void] {
            #expect { try write() } throws: { "\($0)".contains("in a folder where others may write") }
        }
        // Only root can give a file to another user.
        guard isOthers else { return }
        #expect(try History(reading: path).accounts().isEmpty)
        // The log now belongs to this user, but the shared-memory file beside it belongs to another user.
        chown(path + "-wal", geteuid(), getegid())
        try scratch.file("a.db-shm", holding: "")
        chown(path + "-shm", 65_534, 65_534)
        let error = thrown(DatabaseError.self) { try History(reading: path) }
        #expect(error?.description.contains("another user has put \(path)-shm beside it") == true)
    }

    @Test("A database can be written in a folder to which only the user and the user's own group may write")
    func ownGroup() throws {
        guard geteuid() == 0 else { return }
        chmod(scratch.path("."), 0o770)
        try History(path).close()
        #expect(try History(reading: path).accounts().isEmpty)
    }

    /// A program that reads SQLite databases, if one is installed. It must be in /usr/bin, because another user must be
    /// able to run it, and other folders may be accessible only to root.
    private static let reader: (@Sendable (String) -> [String])? = {
        let query = "SELECT count(*) FROM account"
        let readers: [@Sendable (String) -> [String]] = [
            { ["/usr/bin/sqlite3", "file:\($0)?mode=ro", query] },
            { path in
                let rows = "sqlite3.connect('file:\(path)?mode=ro', uri=True).execute('\(query)')"
                return ["/usr/bin/python3", "-c", "import sqlite3; print(*\(rows).fetchone())"]
            },
        ]
        return readers.first { access($0("")[0], X_OK) == 0 }
    }()

    /// Runs the program `reader`, which counts the accounts in a database. If `isReadOnly` is true, the database's
    /// folder is mounted read-only for the program. Otherwise, the program runs as another user.
    private func count(_ path: String, isReadOnly: Bool) throws -> String {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let mount = "mount --bind \(folder) \(folder) && mount -o remount,ro,bind \(folder) && exec \"$@\""
        let place =
            isReadOnly
            ? ["unshare", "--mount", "sh", "-c", mount, "sh"]
            : ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        return try Executable.run(place + (Self.reader?(path) ?? [])).output
    }

    @Test("A backup is written only in its own folder, even if its name begins with a combining accent")
    func combiningName() throws {
        try scratch.folder("backups")
        let history = try History(path)
        let before = try scratch.names
        let copy = scratch.url.path + "/backups/\u{301}copy.db"
        try history.backUp(to: copy)
        #expect(try scratch.names == before)
        #expect(try History(reading: copy).accounts().isEmpty)
    }

    @Test(
        "Other programs can read the file after a run that ended or was killed, without creating files beside it",
        .twoUsers, .needs("setpriv", "unshare"), .mounts,
        .enabled(if: reader != nil, "not installed: sqlite3"), arguments: [false, true])
    func leftForReaders(isReadOnly: Bool) throws {
        let copy = scratch.path("killed.db")
        let history = try History(path)
        try history.transaction { _ = try $0.run("INSERT INTO account (service, name) VALUES ('exist', 'maya')") }
        for end in ["", "-wal", "-shm"] { try FileManager.default.copyItem(atPath: path + end, toPath: copy + end) }
        func share(_ mode: mode_t) {
            for path in [path, copy] { for end in ["", "-wal", "-shm"] { chmod(path + end, mode) } }
        }
        share(0o644)
        #expect(try count(path, isReadOnly: false) == "1\n", "during the run")
        history.close()
        #expect(try scratch.names.filter { $0.hasPrefix("a.db") } == ["a.db"])
        for path in [path, copy] { #expect(try count(path, isReadOnly: isReadOnly) == "1\n", "\(path)") }
        // The next run removes the files that the killed run left. It accepts modes such as 644 only in a folder that a
        // group shares, so the test restores 600 for this run.
        share(0o600)
        try History(copy).close()
        share(0o644)
        #expect(try scratch.names.filter { $0.hasPrefix("killed.db") } == ["killed.db"])
        #expect(try count(copy, isReadOnly: isReadOnly) == "1\n")
        #expect(try History(reading: copy).accounts().map(\.name) == ["maya"])
    }

    @Test(
        "If a reader has the file open when a run ends, the file stays in WAL mode until the next run ends",
        .needs("od"))
    func lastReader() throws {
        // Reads the file's header in another process, because closing the file in this process would release SQLite's
        // locks on it.
        func format() throws -> String { try Executable.run(["od", "-An", "-tu1", "-j18", "-N2", path]).output }
        let history = try History(path)
        #expect(try format() == "   2   2\n")
        var reader: Database? = try Database(reading: path)
        _ = try reader?.value("SELECT count(*) FROM account")
        history.close()
        #expect(try format() == "   2   2\n" && reader != nil)
        reader = nil
        try History(path).close()
        #expect(try format() == "   1   1\n" && scratch.names == ["a.db"])
    }

    @Test("A backup of an open database contains the same data, and replaces an earlier backup")
    func backup() throws {
        let (history, copy) = (try History(path), scratch.path("copy.db"))
        for name in ["maya", "ada"] {
            try history.transaction {
                _ = try $0.run("INSERT INTO account (service, name) VALUES ('exist', '\(name)')")
            }
            try history.backUp(to: copy)
            let names = "SELECT name FROM account"
            #expect(try History(reading: copy).query(names).rows == history.query(names).rows)
            try scratch.file("copy.db-journal", holding: "")
        }
        try scratch.file("copy.db-journal", holding: "changes")
        #expect(thrown(DatabaseError.self) { try history.backUp(to: copy) }?.kind == .busy)
        #expect(try scratch.names.filter { $0.hasSuffix("tmp") } == [])
    }

    @Test("A second sync of a file is refused while the first one has it open, and allowed afterwards")
    func twoAtOnce() throws {
        var first: History? = try History(path)
        #expect(kind { try History(path) } == .busy)
        #if os(Linux)
            // The refused attempt keeps no file open, so only the first history's lock file is open.
            let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count {
                let file = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
                return file?.hasSuffix(path + "-claim") == true
            }
            #expect(open == 1)
        #endif
        #expect(first != nil)
        first = nil
        #expect(kind { try History(path) } == nil)
    }

    /// Returns the names of the accounts as Python's `sqlite3` reads them, independently of this package.
    private func namesForPython() throws -> String {
        let script =
            "import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute('SELECT name FROM account').fetchall())"
        return try Executable.run(["python3", "-c", script, path]).output
    }

    @Test("Neither a refused second sync nor a reader affects the locks of the first sync", .needs("python3"))
    func locks() throws {
        let first = try History(path)
        let insertion = "INSERT INTO account (service, name) VALUES ('exist', ?)"
        try first.transaction { _ = try $0.run(insertion, ["maya"]) }
        #expect(kind { try History(path) } == .busy)
        try History(reading: path).close()
        // If the first sync had lost its locks, Python would take itself for the file's last user and remove the log.
        #expect(try namesForPython() == "[('maya',)]\n")
        #expect(FileManager.default.fileExists(atPath: "\(path)-wal"))
        try first.transaction { _ = try $0.run(insertion, ["noah"]) }
        #expect(try namesForPython() == "[('maya',), ('noah',)]\n")
    }

    @Test("A symbolic link counts as the same file as its target, even if the target doesn't exist yet")
    func links() throws {
        let (path, link) = (scratch.path("a? b%41#é.db"), scratch.path("link.db"))
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "a? b%41#é.db")
        let first = try History(link)
        #expect(kind { try History(path) } == .busy)
        #expect(kind { try History(link) } == .busy)
        first.close()
        #expect(try scratch.names == ["a? b%41#é.db", "link.db"] && scratch.mode("a? b%41#é.db") == 0o600)
        #expect(try History(reading: link).query("SELECT count(*) FROM value").rows == [[0]])
    }

    @Test("A write-protected file can be read in a read-only folder, even with the log of a run beside it", .notRoot)
    func onlyReading() throws {
        let (path, copy) = (scratch.path("a? b%41#é.db"), scratch.path("copy.db"))
        let history = try History(path)
        try history.transaction { _ = try $0.run("INSERT INTO account (service, name) VALUES ('exist', 'maya')") }
        for end in ["", "-wal", "-shm"] { try FileManager.default.copyItem(atPath: path + end, toPath: copy + end) }
        history.close()
        chmod(path, 0o400)
        #expect(kind { try History(path) } == .readOnly)
        chmod(scratch.url.path, 0o555)
        defer { chmod(scratch.url.path, 0o755) }
        #expect(kind { try History(path) } == .readOnly)
        for file in [path, copy] { #expect(try History(reading: file).accounts().map(\.name) == ["maya"]) }
    }

    @Test(
        "Another user can also read a write-protected file in a read-only folder (tested only if root runs the tests)",
        .twoUsers, .needs("setpriv"))
    func asNobody() async throws {
        let words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", CommandLine.arguments[0]]
        let only = ["--testing-library", "swift-testing", "--filter", "HistoryFileTests/onlyReading"]
        #expect(try await RunningProgram(words + only).end() == 0)
    }

    @Test(
        "A file can be claimed again although a child process that inherited the old claim hasn't called `exec` yet"
    )
    func inherited() throws {
        var claim: FileClaim? = try FileClaim(beside: OutputPath(scratch.path("a.db")))
        // Copies the descriptor of the lock file. A child process has such a copy until it calls `exec`.
        let inherited = dup(try #require(claim).file.descriptor)
        defer { close(inherited) }
        claim = nil
        #expect(kind { try History(path) } == nil)
    }

    @Test(
        "Opening a file that isn't a usable history fails, and leaves the file unchanged",
        arguments: ["text", "another program's", "newer", "damaged", "folder", "no folder", "no file"])
    func notOurs(_ what: String) throws {
        var expected = DatabaseError.Kind.notOurs
        switch what {
        case "text":
            try scratch.file("a.db", holding: "Dear diary, this is no database at all, but a text of some length.")
        case "another program's":
            let other = try Database(writing: path)
            try other.run("CREATE TABLE theirs (x)")
        case "newer":
            try prepare(["CREATE TABLE later (x)", "PRAGMA user_version = \(Schema.format + 1)"])
            expected = .tooNew
        case "damaged":
            try prepare([])
            var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            for place in 100..<bytes.count { bytes[place] = 0x5A }
            try bytes.write(to: URL(fileURLWithPath: path))
            expected = .corrupt
        case "folder":
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            expected = .unusableFile
        default:
            let path = what == "no file" ? ":memory:" : scratch.path("none/a.db")
            let found = [kind { try History(path) }, kind { try History(reading: path) }]
            return #expect(found == [.unusableFile, .unusableFile])
        }
        let before = FileManager.default.contents(atPath: path)
        #expect(kind { try History(path) } == expected)
        #expect(FileManager.default.contents(atPath: path) == before)
    }

    @Test(
        "A database is rejected if its file or a file beside it is accessible to others",
        arguments: ["", "-wal", "-shm", "-journal", "-claim"])
    func planted(_ suffix: String) throws {
        try scratch.file("a.db\(suffix)", holding: "")
        #expect(chmod(scratch.path("a.db\(suffix)"), 0o666) == 0)
        let error = thrown(DatabaseError.self) { try History(path) }
        #expect(error?.description.contains("accessible to others (mode 666)") == true)
        #expect(scratch.text("a.db\(suffix)").isEmpty)
    }

    /// Changes a history as another program could.
    private func prepare(_ changes: [String]) throws {
        try History(path).close()
        let database = try Database(writing: path)
        for change in changes { try database.run(change) }
    }

    private static let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT * FROM n"

    // The type is written out because Swift 6.0 fails to infer it.
    private static let preparations: [([String], DatabaseError.Kind)] = [
        (["PRAGMA user_version = -1"], .corrupt), (["PRAGMA user_version = 0"], .corrupt),
        (["DROP TABLE account", "CREATE VIEW account AS \(endless)"], .notOurs),
        (["DROP VIEW latest", "CREATE VIEW latest AS SELECT zeroblob(900000000) AS account"], .notOurs),
        (
            ["CREATE TRIGGER t AFTER INSERT ON sync_run BEGIN DELETE FROM value WHERE day IN (\(endless)); END"],
            .notOurs
        ),
        (["CREATE INDEX i ON account (abs(id))"], .notOurs), (["ALTER TABLE value ADD COLUMN more"], .notOurs),
        (["DROP TABLE notification"], .notOurs),
    ]

    @Test(
        "A file with an unexpected schema or format number is rejected before anything in it is used",
        arguments: preparations)
    func preparedFile(_ changes: [String], _ expected: DatabaseError.Kind) throws {
        try prepare(changes)
        let before = FileManager.default.contents(atPath: path)
        #expect(kind { try History(path) } == expected)
        #expect(kind { try History(reading: path) } == expected)
        #expect(FileManager.default.contents(atPath: path) == before)
    }

    @Test("A history with the user's own tables and views can be opened and queried")
    func ownViews() throws {
        try prepare(["CREATE VIEW mine AS SELECT * FROM latest", "CREATE TABLE notes (x)", "ANALYZE"])
        #expect(try History(path).query("SELECT * FROM mine").rows.isEmpty)
    }

    /// Names for tables and other objects. Some of them resemble names of SQLite or of this package.
    private static let names: [String] = {
        let bases = [
            "sqlitexstat", "sqlite0stat1", "sqlitestat1", "sqlite-stat1", "xsqlite_stat1", "stat1", "sequence",
            "value2", "account_", "_account", "daily", "latest", "weekly", "account", "value", "sync_run", "trigger",
            "table", "", " ", "\u{FF53}qlite_stat1", "é", "😀", "a'b", "a\"b", "%", "_", "main.account", "temp", "0",
        ]
        let others = (0..<4).map { "name \($0)" } + bases.flatMap { [$0 + "1", $0.uppercased(), $0 + " "] }
        // Keeps only one of several names that differ only in case, because SQLite takes them for the same name.
        return Array(Dictionary((bases + others).map { ($0.lowercased(), $0) }) { one, _ in one }.values).sorted()
    }()

    @Test(
        "A user's tables, views, and indexes may have any name; triggers, and indexes on our tables, are rejected")
    func anyObject() throws {
        let database = try Database.inMemory()
        try Schema.create(in: database)
        try database.runAll("CREATE TABLE notes (a); CREATE VIEW own AS SELECT a FROM notes")
        let kinds = [
            ("TABLE", "(a UNIQUE)", true), ("VIEW", "AS SELECT a FROM notes", true), ("INDEX", "ON notes (a)", true),
            ("INDEX", "ON account (name, service)", false),
            ("TRIGGER", "AFTER UPDATE ON account BEGIN UPDATE value SET value = 666; END", false),
            ("TRIGGER", "BEFORE DELETE ON account BEGIN INSERT INTO notes VALUES (old.name); END", false),
            ("TRIGGER", "INSTEAD OF INSERT ON latest BEGIN DELETE FROM value; END", false),
            ("TRIGGER", "AFTER INSERT ON notes BEGIN DELETE FROM value; END", false),
            ("TRIGGER", "INSTEAD OF DELETE ON own BEGIN DELETE FROM value; END", false),
        ]
        var count = 0
        for name in Self.names {
            let quoted = "\"\(name.replacingOccurrences(of: "\"", with: "\"\""))\""
            for (kind, definition, isAccepted) in kinds {
                // Creating an object fails if an object of another kind already has the name.
                guard (try? database.runAll("CREATE \(kind) \(quoted) \(definition)")) != nil else { continue }
                count += 1
                let isRejected = (try? Schema.isThere(in: database)) == nil
                #expect(isRejected != isAccepted, "\(kind) \(name) \(definition)")
                try database.runAll("DROP \(kind) \(quoted)")
            }
        }
        #expect(count > 800)
    }

    @Test("A trigger that is added while the file is open does not run")
    func triggerMeanwhile() throws {
        let history = try History(path)
        try history.transaction { database in
            try database.runAll(
                "CREATE TRIGGER t AFTER INSERT ON account BEGIN UPDATE account SET name = 'changed'; END")
            try database.run("INSERT INTO account (service, name) VALUES ('exist', 'maya')")
        }
        let names = try history.query("SELECT name FROM account").rows
        #expect(names == [["maya"]])
    }

    @Test(
        "A query changes neither the file nor the state of its connection",
        arguments: [
            "DELETE FROM account", "INSERT INTO account (service, name) VALUES ('a', 'b') RETURNING id", "BEGIN",
            "BEGIN IMMEDIATE", "ATTACH 'other.db' AS other", "PRAGMA user_version = 7", "DROP VIEW latest",
            "PRAGMA query_only = OFF", "SAVEPOINT a", "VACUUM",
        ])
    func onlyQueries(_ sql: String) throws {
        let history = try History(path)
        try history.transaction { _ = try $0.run("INSERT INTO account (service, name) VALUES ('exist', 'maya')") }
        #expect(throws: DatabaseError.self) { try history.query(sql) }
        try history.transaction { _ = try $0.run("INSERT INTO account (service, name) VALUES ('exist', 'noah')") }
        #expect(try history.query("SELECT name FROM account ORDER BY id").rows == [["maya"], ["noah"]])
        #expect(try history.query("PRAGMA user_version").rows == [[.integer(Schema.format)]])
    }

    @Test("A query that runs forever or returns an endless text ends with an error")
    func endlessQueries() throws {
        let history = try History(path)
        #expect(throws: DatabaseError.self) { try history.query("SELECT hex(zeroblob(900000000))") }
        let isOver = Locked(false)
        let thread = Thread {
            // Interrupts repeatedly, because an interrupt has no effect before the query has begun.
            while !isOver.withLock({ $0 }) {
                history.interrupt()
                sched_yield()
            }
        }
        thread.start()
        defer { isOver.withLock { $0 = true } }
        let error = thrown(DatabaseError.self) { try history.query("SELECT count(*) FROM (\(Self.endless))") }
        #expect(error?.description.contains("interrupted") == true)
    }

    /// Runs a statement while another connection locks the file. Returns whether the statement succeeded, how long it
    /// waited, and which waits it announced. After each pause, `interrupts` decides whether to interrupt the statement,
    /// and `frees` whether to release the lock. Both get the seconds that the statement has waited so far.
    private func waiting(
        _ lockWait: LockWait, interrupts: @escaping @Sendable (Double) -> Bool = { _ in false },
        frees: @escaping @Sendable (Double) -> Bool = { _ in false }
    ) throws -> String {
        try History(path).close()
        nonisolated(unsafe) let database = try Database(writing: path)
        nonisolated(unsafe) var other: OpaquePointer?
        #expect(pledge_sqlite_open("file:\(path)", &other, Int32(PLEDGE_SQLITE_OPEN_READWRITE.rawValue | 0x40)) == 0)
        defer { _ = pledge_sqlite_close(other) }
        #expect(pledge_sqlite_run(other, "BEGIN IMMEDIATE") == 0)
        let (waited, told) = (Locked(0.0), Recorder<Double>())
        nonisolated(unsafe) let handle = other
        database.lockWait = lockWait
        database.lockWait.announce = { told.append($0) }
        database.lockWait.pause = { seconds in
            let sum = waited.withLock { waited in
                waited += seconds
                return waited
            }
            if interrupts(sum) { database.interrupt() }
            if frees(sum) { _ = pledge_sqlite_run(handle, "ROLLBACK") }
        }
        let error = thrown(DatabaseError.self) {
            try database.run("INSERT OR IGNORE INTO account (service, name) VALUES ('exist', 'maya')")
        }
        // Breaks the reference cycle: the closure `pause` holds the database.
        database.lockWait = LockWait()
        let seconds = waited.withLock { Int($0.rounded()) }
        return "\(error.map { "\($0.kind)" } ?? "done") after \(seconds) s, told \(told.all)"
    }

    @Test(
        "A statement waits for another program's lock up to its limit, and announces the wait once after five seconds")
    func foreignLock() throws {
        #expect(try waiting(LockWait(seconds: 0)) == "busy after 0 s, told []")
        #expect(try waiting(LockWait(seconds: 3)) == "busy after 3 s, told []")
        #expect(try waiting(LockWait()) == "busy after 10 s, told [10.0]")
        #expect(try waiting(LockWait(seconds: 600), frees: { $0 > 4 }) == "done after 4 s, told []")
        #expect(try waiting(LockWait(seconds: 600), frees: { $0 > 59 }) == "done after 59 s, told [600.0]")
    }

    @Test("An interrupt ends a statement's wait for another program's lock")
    func interruptedWait() throws {
        #expect(try waiting(LockWait(seconds: 600), interrupts: { $0 > 7 }) == "busy after 7 s, told [600.0]")
    }

    @Test("A history waits for another program's lock up to a limit, which is ten seconds by default")
    func lockWait() throws {
        let told = Recorder<Double>()
        let history = try History(path, lockWait: 7) { told.append($0) }
        try history.withDatabase { database in
            #expect(database.lockWait.seconds == 7)
            database.lockWait.announce?(7)
        }
        #expect(told.all == [7])
        #expect(try History(scratch.path("b.db")).withDatabase { $0.lockWait.seconds } == 10)
    }

    @Test("If the disk is full, the error has advice, and existing data is kept")
    func full() async throws {
        let fixture = try ExistFixture(isSmall: true)
        let tight = try History(path)
        _ = try tight.withDatabase { try $0.value("PRAGMA max_page_count = 60") }
        let error = await thrown(DatabaseError.self) { try await fixture.sync(tight) }
        #expect(error?.kind == .full)
        #expect(error?.description.contains("free some space") == true)
        let kept = try tight.query("SELECT count(*) FROM value").rows[0][0].integer ?? 0
        #expect(kept > 0)
        #expect(try tight.query("PRAGMA integrity_check").rows == [["ok"]])
    }

    @Test("A write that SQLite doesn't permit fails as read-only with an explanation, even if root runs it")
    func notForWriting() throws {
        try History(path).close()
        let database = try Database(reading: path)
        let error = thrown(DatabaseError.self) { try database.run("DELETE FROM value") }
        #expect(error?.kind == .readOnly && error?.description.contains("cannot be written") == true)
        #expect(DatabaseError(FileError(writing: "a.db", EROFS)).kind == .readOnly)
    }

    @Test("A reader can read during a sync but can't write; opening a missing file or a folder fails")
    func reading() throws {
        #expect(kind { try History(reading: path) } == .unusableFile)
        try History(path).close()
        // Removes the log, so that `early` opens a database without one. The writer below then creates a log while
        // `early` is open.
        for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
        let early = try Database(reading: path)
        #expect(try early.value("SELECT count(*) FROM account") == 0)
        let writer = try History(path)
        let reader = try History(reading: path)
        #expect(try reader.query("SELECT count(*) FROM value").rows == [[0]])
        #expect(throws: DatabaseError.self) { try reader.query("DELETE FROM value") }
        try writer.transaction { database in
            try database.run("INSERT INTO account (service, name) VALUES ('exist', 'maya')")
            #expect(try reader.query("SELECT count(*) FROM account").rows == [[0]])
        }
        #expect(try reader.query("SELECT count(*) FROM account").rows == [[1]])
        #expect(try early.value("SELECT count(*) FROM account") == 1)
        let folder = thrown(DatabaseError.self) { try History(reading: scratch.url.path) }
        #expect(folder?.description == "\(scratch.url.path) is a folder: choose a file in it.")
    }
}
