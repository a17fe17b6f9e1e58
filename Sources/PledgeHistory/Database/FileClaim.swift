import Foundation

/// The right to sync into a file, which one process at a time has, until it is let go or the process ends, however it
/// does.
///
/// SQLite's own locks last for one transaction. Between two of them another sync would read pages and move bookmarks.
/// The claim is a lock on a file beside the database: closing any descriptor of the database itself lets go of all locks
/// that SQLite has on it in this process.
final class FileClaim: Sendable {
    let path: String
    let descriptor: Int32

    /// - Parameter database: its own path, to which no link leads; it may be yet to be made.
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
                    .busy, "Another sync into \(database) is under way: wait until it has ended, or end it.")
            }
            var (claimed, there) = (stat(), stat())
            if fstat(descriptor, &claimed) == 0, stat(path, &there) == 0, claimed.st_ino == there.st_ino {
                self.descriptor = descriptor
                return
            }
            // Who had it has removed it meanwhile, and the next one may have made another.
            close(descriptor)
        }
    }

    // Only after the database is closed.
    deinit {
        unlink(path)
        // A child that another thread is starting has the descriptor, too, until it becomes another program.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    static func failure(_ path: String, _ code: Int32) -> DatabaseError {
        let reason = String(cString: strerror(code))
        return switch code {
        case EACCES, EROFS, EPERM:
            DatabaseError(
                .readOnly,
                "\(path) may not be written to (\(reason)): change its permissions and its folder's, or name another file."
            )
        case ENOSPC, EDQUOT:
            DatabaseError(.full, "The disk with \(path) is full: make room, and run this again.")
        default: DatabaseError(.unusableFile, "\(path) cannot be opened: \(reason).")
        }
    }
}
