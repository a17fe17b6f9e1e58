import Foundation

/// A lock that allows one process at a time to sync into a database, released on deinitialization or when the process
/// ends in any way.
///
/// SQLite's own locks last for one transaction; between two of them, another sync could read pages and move bookmarks.
/// The lock is on a separate file next to the database, because closing any descriptor of the database itself would
/// release all locks that SQLite holds on it in this process.
final class FileClaim: Sendable {
    let path: String
    let descriptor: Int32

    /// - Parameter database: The path of the database, after resolving links. The file may not exist yet.
    init(_ database: String) throws {
        path = database + "-claim"
        while true {
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { throw Self.failure(database, errno) }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                let code = errno
                close(descriptor)
                guard code == EWOULDBLOCK else { throw Self.failure(database, code) }
                throw DatabaseError(
                    .busy, "Another sync into \(database) is in progress: wait until it ends, or stop it.")
            }
            var (claimed, there) = (stat(), stat())
            if fstat(descriptor, &claimed) == 0, stat(path, &there) == 0, claimed.st_ino == there.st_ino {
                self.descriptor = descriptor
                return
            }
            // The previous holder has removed the file in the meantime, and the next one may have created another.
            close(descriptor)
        }
    }

    // This runs only after the database is closed.
    deinit {
        unlink(path)
        // A child process that another thread is starting shares the descriptor until it executes its program.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    static func failure(_ path: String, _ code: Int32) -> DatabaseError {
        let reason = String(cString: strerror(code))
        return switch code {
        case EACCES, EROFS, EPERM:
            DatabaseError(
                .readOnly,
                "\(path) cannot be written (\(reason)): change its permissions and its folder's, or choose another file."
            )
        case ENOSPC, EDQUOT:
            DatabaseError(.full, "The disk with \(path) is full: free some space, and run this again.")
        default: DatabaseError(.unusableFile, "\(path) cannot be opened: \(reason).")
        }
    }
}
