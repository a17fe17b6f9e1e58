import Foundation
import PledgeFiles

/// A lock that allows one process at a time to sync into a database, released on deinitialization or when the process
/// ends in any way. SQLite's own locks last for one transaction; between two of them, another sync could read pages and
/// move bookmarks. The lock is on a separate file next to the database, because closing any descriptor of the database
/// itself would release all locks that SQLite holds on it in this process.
final class FileClaim: Sendable {
    private let path: OutputPath
    let descriptor: Int32

    /// - Parameter database: The path of the database. The file may not exist yet.
    init(_ database: OutputPath) throws {
        path = try OutputPath(database, "-claim")
        while true {
            let descriptor = try path.open(O_RDWR | O_CREAT)
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                let code = errno
                close(descriptor)
                guard code == EWOULDBLOCK else { throw DatabaseError(FileError(writing: database.named, code)) }
                throw DatabaseError(
                    .busy, "Another sync into \(database.named) is in progress: wait until it ends, or stop it.")
            }
            if path.holds(descriptor) {
                self.descriptor = descriptor
                return
            }
            // The previous holder has removed the file in the meantime, and the next one may have created another.
            close(descriptor)
        }
    }

    // This runs only after the database is closed.
    deinit {
        unlinkat(path.folder, path.name, 0)
        // A child process that another thread is starting shares the descriptor until it executes its program.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
