import Foundation
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
    private(set) var statements: [String: Statement] = [:]
    private var tables: [String: Table] = [:]
    private var lookups: [Lookup: Statement] = [:]

    /// How long to wait for another program that is writing, in milliseconds.
    static let patience: Int32 = 10_000

    /// Opens a file for writing, or makes it, for its owner alone.
    convenience init(writing path: String) throws {
        let file = try Self.file(path)
        if access(file, F_OK) == 0, access(file, W_OK) != 0 { throw FileClaim.failure(path, errno) }
        let claim = try FileClaim(file)
        // With the claim's permissions, should it make one.
        try self.init(
            path, "\(Self.address(file))?modeof=\(Self.escaped(claim.path))",
            PLEDGE_SQLITE_OPEN_READWRITE.rawValue | PLEDGE_SQLITE_OPEN_CREATE.rawValue, claim: claim)
    }

    /// Opens a file that is there, to be read and not changed.
    convenience init(reading path: String) throws {
        let file = try Self.file(path)
        guard access(file, R_OK) == 0 else {
            throw DatabaseError(.unusableFile, "\(path) cannot be opened: \(String(cString: strerror(errno))).")
        }
        // Readers tell each other so in a file beside it. Where nobody may make one, and no sync is under way or was
        // killed, it is read as what does not change.
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent().path
        let isAlone = access(folder, W_OK) != 0 && access("\(file)-wal", F_OK) != 0
        try self.init(
            path, Self.address(file) + (isAlone ? "?immutable=1" : ""), PLEDGE_SQLITE_OPEN_READONLY.rawValue, claim: nil
        )
    }

    private init(_ path: String, _ address: String, _ flags: UInt32, claim: FileClaim?) throws {
        if let problem = pledge_sqlite_load(pledge_sqlite_library) {
            throw DatabaseError.missing(String(cString: problem))
        }
        // Without locks of its own: there is one around all of it.
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
        file = path
        _ = pledge_sqlite_busy_timeout(handle, Self.patience)
    }

    /// The file that a path leads to, also where that is yet to be made: beside it lie SQLite's own files and the claim.
    private static func file(_ path: String) throws -> String {
        var file = path
        // As often as the system itself would.
        for _ in 0..<40 {
            guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: file) else { break }
            let folder = URL(fileURLWithPath: file).deletingLastPathComponent()
            file = target.hasPrefix("/") ? target : folder.appendingPathComponent(target).path
        }
        var status = stat()
        guard stat(file, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return file }
        let isFolder = status.st_mode & S_IFMT == S_IFDIR
        throw DatabaseError(
            .unusableFile,
            isFolder ? "\(path) is a folder: name a file in it." : "\(path) is no ordinary file: name another one.")
    }

    private static func address(_ file: String) -> String {
        "file:\(file.hasPrefix("/") ? "//" : "")\(escaped(file))"
    }

    private static func escaped(_ file: String) -> String {
        let plain = CharacterSet(charactersIn: "/-._").union(.alphanumerics)
        return file.addingPercentEncoding(withAllowedCharacters: plain) ?? file
    }

    deinit {
        // A connection with statements does not close.
        (statements, lookups) = ([:], [:])
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

    /// Calls `row` for each row of a part of a table, without what their keys begin with, in the order of the rest.
    func read(_ part: Table.Part, of table: Table, row: (Row) throws -> Void) throws {
        // A night reads thousands of parts of a few kinds: writing the query down costs as much as running it.
        let kind = Lookup(table: table.name, fixed: part.key.count, condition: part.condition)
        let statement = try lookups[kind] ?? prepare(part.lookup(in: table))
        lookups[kind] = statement
        try statement.run(part.key + part.values, row: row)
    }

    private struct Lookup: Hashable {
        var table: String
        var fixed: Int
        var condition: String
    }

    /// All rows of a query.
    func rows(_ sql: String, _ values: [SQLValue] = []) throws -> [[SQLValue]] {
        try statement(sql).rows(values)
    }

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
            _ = try prepare(String(sql)).run([])
        }
    }

    /// A table, as the file has it.
    func table(_ name: String) throws -> Table {
        if let known = tables[name] { return known }
        let columns = try rows("SELECT name, pk FROM pragma_table_info(?) ORDER BY pk = 0, pk, cid", [.text(name)])
        let table = Table(name, columns.compactMap(\.[0].text), keys: columns.count { $0[1] != 0 })
        tables[name] = table
        return table
    }

    /// A statement, prepared once.
    func statement(_ sql: String) throws -> Statement {
        if let known = statements[sql] { return known }
        let statement = try prepare(sql)
        statements[sql] = statement
        return statement
    }

    func prepare(_ sql: String) throws -> Statement { try Statement(sql, of: handle, file: file) }
}
