import Foundation

/// A file lock, held by one process at a time; the system releases it when the process ends, even by a crash.
package final class FileLock: Sendable {
    private let descriptor: Int32

    /// Waits until no one else holds the lock, which blocks the current thread.
    package init(_ path: String) throws(FileError) {
        descriptor = try OutputPath(path, followingLink: false).open(O_RDWR | O_CREAT)
        guard retryingOnInterrupt({ flock(descriptor, LOCK_EX) }) == 0 else {
            let code = errno
            close(descriptor)
            throw FileError("\(path) cannot be locked: \(String(cString: strerror(code))).")
        }
    }

    /// Releases the lock. Call this method only once.
    package func release() { unlockAndClose(descriptor) }
}
