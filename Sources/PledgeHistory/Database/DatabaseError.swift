import PledgeSQLite

/// Why a database could not be used: a sentence with what to do about it. Holds no values of the user's.
public struct DatabaseError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What kind of trouble it is, for programs.
    public enum Kind: Equatable, Sendable {
        /// SQLite itself is missing, or too old.
        case noSQLite
        /// The file cannot be opened, made or read.
        case unusableFile
        /// The file may not be written to.
        case readOnly
        /// The file belongs to another program, or is no database at all.
        case notOurs
        /// A newer version of this program wrote it.
        case tooNew
        /// The file is damaged.
        case corrupt
        /// The disk is full.
        case full
        /// Another program is writing to it.
        case busy
        /// Something is wrong with the statement, or with what was bound to it.
        case other
    }

    /// What kind of trouble it is.
    public var kind: Kind
    /// What failed, in which file, and what to do about it.
    public var description: String

    init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    /// From what SQLite says.
    init(code: Int32, message: String, file: String, sql: String? = nil) {
        switch UInt32(code & 0xFF) {
        case PLEDGE_SQLITE_BUSY.rawValue, PLEDGE_SQLITE_LOCKED.rawValue:
            self.init(.busy, "\(file) is being written by another program: try again when it has ended.")
        case PLEDGE_SQLITE_READONLY.rawValue:
            self.init(
                .readOnly,
                "\(file) may not be written to: change its permissions and its folder's, or name another file.")
        case PLEDGE_SQLITE_FULL.rawValue:
            self.init(
                .full,
                "The disk with \(file) is full. What was there is still there: make room, and run this again.")
        case PLEDGE_SQLITE_IOERR.rawValue:
            self.init(
                .full,
                "\(file) cannot be read or written (\(message)): the disk is full, or gone. What was there is still "
                    + "there: see to the disk, and run this again.")
        case PLEDGE_SQLITE_CORRUPT.rawValue:
            self.init(.corrupt, Self.corrupt(file, message))
        case PLEDGE_SQLITE_NOTADB.rawValue:
            self.init(.notOurs, "\(file) is no SQLite database: name another file. It was left as it is.")
        case PLEDGE_SQLITE_CANTOPEN.rawValue:
            self.init(.unusableFile, "\(file) cannot be opened: \(message).")
        default:
            let statement = sql.map { " in “\($0.prefix(200))”" } ?? ""
            self.init(.other, "\(file): SQLite says “\(message)”\(statement).")
        }
    }

    static func corrupt(_ file: String, _ detail: String) -> String {
        "\(file) is damaged (\(detail)). It was left as it is: move it away and run this again, or save what can be "
            + "saved with “sqlite3 \(file) .recover”."
    }

    static func missing(_ detail: String) -> DatabaseError {
        DatabaseError(
            .noSQLite,
            "SQLite is missing: \(detail). Install it with “apt-get install libsqlite3-0” (Debian, Ubuntu) or "
                + "“dnf install sqlite-libs” (Fedora, Amazon Linux), and run this again.")
    }
}
