import PledgeSQLite

/// A SQLite file that is open: statements, transactions, and errors that are sentences.
///
/// Not for several threads at once; ``History`` sees to that.
final class Database {
    private let handle: OpaquePointer
    // Held here, so that it is let go after the database is closed.
    private let claim: FileClaim?
    /// What the file is called in errors.
    let file: String
    // Preparing costs more than most statements do.
    private var statements: [String: Statement] = [:]

    /// How long to wait for another program that is writing, in milliseconds.
    static let patience: Int32 = 10_000

    /// Opens a file that is there: an empty one is an empty database.
    ///
    /// - Parameter claim: the right to write to it; nil opens it for reading alone.
    init(_ path: String, claim: FileClaim?) throws {
        if let problem = pledge_sqlite_load(pledge_sqlite_library) {
            throw DatabaseError.missing(String(cString: problem))
        }
        let access = claim == nil ? PLEDGE_SQLITE_OPEN_READONLY : PLEDGE_SQLITE_OPEN_READWRITE
        // Without locks of its own: there is one around all of it.
        var handle: OpaquePointer?
        let code = pledge_sqlite_open(path, &handle, Int32(access.rawValue | PLEDGE_SQLITE_OPEN_NOMUTEX.rawValue))
        guard let handle else { throw DatabaseError(code: code, message: "out of memory", file: path) }
        guard code == 0 else {
            defer { _ = pledge_sqlite_close(handle) }
            throw DatabaseError(code: code, message: String(cString: pledge_sqlite_message(handle)), file: path)
        }
        self.handle = handle
        self.claim = claim
        file = path
        _ = pledge_sqlite_busy_timeout(handle, Self.patience)
    }

    deinit {
        // A connection with statements does not close.
        statements = [:]
        _ = pledge_sqlite_close(handle)
    }

    /// Runs one statement to its end.
    ///
    /// - Returns: how many rows it inserted, changed or deleted.
    @discardableResult
    func run(_ sql: String, _ values: [SQLValue] = []) throws -> Int {
        try statement(sql).run(values)
        return changes
    }

    /// How many rows the last statement inserted, changed or deleted.
    var changes: Int { Int(pledge_sqlite_changes(handle)) }

    /// Runs a statement, and calls `row` for each row.
    func read(_ sql: String, _ values: [SQLValue] = [], row: (Row) throws -> Void) throws {
        try statement(sql).run(values, row: row)
    }

    /// All rows of a query.
    func rows(_ sql: String, _ values: [SQLValue] = []) throws -> [[SQLValue]] {
        var rows: [[SQLValue]] = []
        try read(sql, values) { rows.append($0.values) }
        return rows
    }

    /// The names of a query's columns.
    func columns(_ sql: String) throws -> [String] { try statement(sql).columns }

    /// The first column of the first row; nothing where there is none.
    func value(_ sql: String, _ values: [SQLValue] = []) throws -> SQLValue {
        try rows(sql, values).first?.first ?? .null
    }

    /// All of what `body` does, or nothing of it.
    ///
    /// Takes the right to write at once: finding out half-way that another program has it could not be waited for.
    func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try run("BEGIN IMMEDIATE")
        do {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            // SQLite has done so itself when the disk was full.
            if pledge_sqlite_autocommit(handle) == 0 { _ = try? run("ROLLBACK") }
            throw error
        }
    }

    /// Several statements, with semicolons between them and none inside.
    func runAll(_ script: String) throws {
        for sql in script.split(separator: ";") where !sql.allSatisfy(\.isWhitespace) {
            _ = try Statement(String(sql), of: handle, file: file).run([])
        }
    }

    /// A statement, prepared once.
    func statement(_ sql: String) throws -> Statement {
        if let known = statements[sql] { return known }
        let statement = try Statement(sql, of: handle, file: file)
        statements[sql] = statement
        return statement
    }
}
