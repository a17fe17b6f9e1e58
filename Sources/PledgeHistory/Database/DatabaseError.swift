import Foundation
import PledgeFiles
import PledgeLibraries

/// The reason why a database could not be used, and what to do about it. The text doesn't contain any stored values of
/// the user.
public struct DatabaseError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of an error, for handling it in code.
    public enum Kind: Equatable, Sendable {
        /// The SQLite library is missing or too old.
        case noSQLite
        /// The file cannot be opened, created, or read.
        case unusableFile
        /// Writing to the file is not permitted.
        case readOnly
        /// The file belongs to another program, or isn't a database.
        case notOurs
        /// The file was written by a newer version of this program.
        case tooNew
        /// The file is damaged.
        case corrupt
        /// The disk is full, or accessing it failed.
        case full
        /// Another program or another sync is writing to the file.
        case busy
        /// The statement, or a value bound to it, is invalid.
        case other
    }

    /// The kind of this error.
    public var kind: Kind
    /// A sentence that names the problem and the file, and what to do about it.
    public var description: String

    init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    /// Creates an error from a result code of SQLite and its message.
    init(code: Int32, message: String, file: String, sql: String? = nil) {
        let statement = sql.map { " in “\($0.prefix(200))”" } ?? ""
        (kind, description) =
            switch UInt32(code & 0xFF) {
            case PLEDGE_SQLITE_BUSY.rawValue, PLEDGE_SQLITE_LOCKED.rawValue:
                (.busy, "\(file) is in use by another program: try again when that has ended.")
            case PLEDGE_SQLITE_READONLY.rawValue:
                (
                    .readOnly,
                    "\(file) cannot be written: change its permissions and its folder's, or choose another file."
                )
            case PLEDGE_SQLITE_FULL.rawValue:
                (
                    .full,
                    "The disk with \(file) is full. The existing data is intact: free some space, and run this again."
                )
            case PLEDGE_SQLITE_IOERR.rawValue:
                (
                    .full,
                    "\(file) cannot be read or written (\(message)): the disk is full or missing. The existing data is "
                        + "intact: check the disk, and run this again."
                )
            case PLEDGE_SQLITE_CORRUPT.rawValue: (.corrupt, Self.corrupt(file, message))
            case PLEDGE_SQLITE_NOTADB.rawValue:
                (.notOurs, "\(file) is not a SQLite database: choose another file. It was not changed.")
            case PLEDGE_SQLITE_CANTOPEN.rawValue: (.unusableFile, "\(file) cannot be opened: \(message).")
            default: (.other, "\(file): SQLite says “\(message)”\(statement).")
            }
    }

    /// Creates a database error from an error of the file system.
    init(_ error: FileError) {
        switch error.code {
        case EACCES, EROFS, EPERM:
            self.init(.readOnly, "\(error) Change its permissions and its folder's, or choose another file.")
        case ENOSPC, EDQUOT: self.init(.full, "\(error) Free some space, and run this again.")
        default: self.init(.unusableFile, error.description)
        }
    }

    static func corrupt(_ file: String, _ detail: String) -> String {
        "\(file) is damaged (\(detail)). It was not changed: move it away and run this again, or save what can be "
            + "saved with “sqlite3 \(file) .recover”."
    }

    static func replaced(_ file: String) -> DatabaseError {
        DatabaseError(
            .unusableFile,
            "\(file) was deleted, renamed, or replaced while it was open, so nothing more was written: move it back, "
                + "together with \(file)-wal if there is one, and run this again.")
    }

    static func missing(_ detail: String) -> DatabaseError {
        DatabaseError(
            .noSQLite,
            "SQLite is missing: \(detail). Install it with “apt-get install libsqlite3-0” (Debian, Ubuntu) or "
                + "“dnf install sqlite-libs” (Fedora, Amazon Linux), and run this again.")
    }
}
