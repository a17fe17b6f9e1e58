import Foundation

/// A file lock, held by one process at a time; the system releases it when the process ends, even by a crash.
package final class FileLock: Sendable {
    private let file: SystemFile

    /// Waits until no one else holds the lock, which blocks the current thread.
    package init(_ path: String) throws {
        file = try OutputPath(path, followingLink: false).openFile(O_RDWR | O_CREAT)
        guard retryingOnInterrupt({ flock(file.descriptor, LOCK_EX) }) == 0 else {
            throw FileError("\(path) cannot be locked: \(String(cString: strerror(errno))).")
        }
    }

    package func release() { file.unlock() }
}
