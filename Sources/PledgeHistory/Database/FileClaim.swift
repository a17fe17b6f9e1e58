import Foundation

/// A file that this process alone may sync into, until the claim is let go or the process ends, however it does.
///
/// SQLite's own locks last for one transaction. Between two of them another sync would read pages and move bookmarks.
final class FileClaim: Sendable {
    let descriptor: Int32

    /// Makes the file where there is none, for its owner alone.
    init(_ path: String) throws {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure(path, errno) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw DatabaseError(.unusableFile, "\(path) is no ordinary file: name another one.")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw DatabaseError(.busy, "Another sync into \(path) is under way: wait until it has ended, or end it.")
        }
    }

    // Only after the database is closed: closing any descriptor of a file lets go of all locks SQLite has on it.
    deinit {
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
