import Foundation
import PledgeFiles

/// A lock that allows one process at a time to sync into a database, released on deinitialization or when the process
/// ends in any way. SQLite's own locks last for one transaction; between two of them, another sync could read pages and
/// move bookmarks. The lock is on a separate file next to the database, because closing any descriptor of the database
/// itself would release all locks that SQLite holds on it in this process.
final class FileClaim: Sendable {
    private let path: OutputPath
    let file: SystemFile

    /// - Parameter database: The path of the database. The file may not exist yet.
    init(_ database: OutputPath) throws {
        path = OutputPath(database, "-claim")
        for _ in 0..<16 {
            let file = try path.openFile(O_RDWR | O_CREAT)
            guard file.lock() else {
                guard errno == EWOULDBLOCK else { throw DatabaseError(FileError(writing: database.named, errno)) }
                break
            }
            if path.holds(file) {
                self.file = file
                return
            }
            // The previous holder has removed the file in the meantime, and the next one may have created another.
        }
        throw DatabaseError(
            .busy, "Another sync into \(database.named) is in progress: wait until it ends, or stop it.")
    }

    // This runs only after the database is closed, and before the file is unlocked.
    deinit { unlinkat(path.folder, path.name, 0) }
}
