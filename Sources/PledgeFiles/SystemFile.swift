import Foundation

/// An open file of the file system.
package final class SystemFile: RawFile, Sendable {
    package let descriptor: Int32
    package let name: String
    private let closes: Bool

    /// - Parameter closes: Whether it is closed with this object.
    package init(_ descriptor: Int32, named name: String, closes: Bool = true) {
        self.descriptor = descriptor
        self.name = name
        self.closes = closes
    }

    /// Opens an existing file for reading, without waiting for the other end of a pipe; nil if there is none.
    package convenience init?(reading path: String) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        self.init(descriptor, named: path)
    }

    /// Opens an inherited descriptor, a device, or a pipe of the caller or of root, which is written to directly. Only for
    /// writing: a process that can also read a pipe would never learn that its reader is gone.
    package convenience init(stream path: String) throws(FileError) {
        if let inherited = OutputPath.inherited(path) {
            let descriptor = fcntl(inherited, F_DUPFD_CLOEXEC, 0)
            guard descriptor >= 0 else { throw FileError(writing: path, errno) }
            self.init(descriptor, named: path)
            return
        }
        let location = try OutputPath(path)
        guard location.isOfCallerOrRoot else {
            throw FileError("\(path) belongs to another user: choose another file.")
        }
        let descriptor = openat(location.folder, location.name, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError(writing: path, errno) }
        self.init(descriptor, named: path)
        guard !isRegular, location.holds(descriptor) else {
            throw FileError("\(path) cannot be written: it was replaced a moment ago.")
        }
    }

    deinit {
        guard closes else { return }
        // A process that is being started has a copy of the descriptor for a moment, which would keep the lock.
        unlock()
        close(descriptor)
    }

    package var isRegular: Bool { fileStatus(descriptor)?.isRegular == true }

    /// Whether it was not deleted.
    package var hasName: Bool { fileStatus(descriptor).map { $0.st_nlink > 0 } == true }

    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int?) throws(FileError) -> Int {
        while true {
            let count = retryingOnInterrupt {
                offset.map { pwrite(descriptor, bytes.baseAddress, bytes.count, off_t($0)) }
                    ?? Foundation.write(descriptor, bytes.baseAddress, bytes.count)
            }
            if count >= 0 { return count }
            guard errno == EAGAIN else { throw FileError(writing: name, errno) }
            var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            poll(&wait, 1, -1)
        }
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(FileError) -> Int {
        let count = retryingOnInterrupt { pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset)) }
        guard count >= 0 else { throw FileError(reading: name, errno) }
        return count
    }

    package func truncate(to length: Int) throws(FileError) {
        guard ftruncate(descriptor, off_t(length)) == 0 else { throw FileError(writing: name, errno) }
        _ = try self.length()
    }

    package func length() throws(FileError) -> Int {
        let end = lseek(descriptor, 0, SEEK_END)
        guard end >= 0 else { throw FileError(writing: name, errno) }
        return Int(end)
    }

    package func sync() throws(FileError) {
        guard fsync(descriptor) == 0 else { throw FileError(writing: name, errno) }
    }

    package func lock() -> Bool {
        flock(descriptor, LOCK_EX | LOCK_NB) == 0
    }

    /// Locks the file; false only if another process holds the lock, since some file systems have none.
    package func lockIfPossible() -> Bool { lock() || errno != EWOULDBLOCK }

    package func unlock() { flock(descriptor, LOCK_UN) }
}

/// Repeats a system call that a signal has interrupted.
package func retryingOnInterrupt<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return result }
    }
}

/// The status of an open file; nil if it cannot be read.
func fileStatus(_ descriptor: Int32) -> stat? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? status : nil
}

extension stat {
    var isRegular: Bool { st_mode & S_IFMT == S_IFREG }
}
