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

    /// Gives the group what it may do with another file, if it is the same group: in a folder with the set-group-ID bit,
    /// a person may have let a group read a file, and does not expect to do so again once it is replaced.
    func grant(toGroupOf other: SystemFile) {
        guard let own = fileStatus(descriptor), let given = fileStatus(other.descriptor), own.st_gid == given.st_gid
        else { return }
        fchmod(descriptor, own.st_mode & 0o777 | given.st_mode & 0o070)
    }

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

extension SystemFile {
    /// Throws if everybody may write the file, for one that decides which tokens are sent where, unless its file system
    /// keeps no modes, or the caller inherited it open.
    package func refuseOtherWriters() throws(FileError) {
        guard let status = fileStatus(descriptor), status.isRegular, status.st_mode & S_IWOTH != 0,
            OutputPath.inherited(name) == nil, (try? OutputPath(name))?.keepsModes != false
        else { return }
        throw FileError(
            "\(name) may be written by others (mode \(String(status.st_mode & 0o777, radix: 8))), so they could change "
                + "which tokens are sent: let only its owner or its group write it.")
    }
}

/// A file lock, held by one process at a time; the system releases it when the process ends, even by a crash.
package final class FileLock: Sendable {
    private let file: SystemFile

    /// Waits until no one else holds the lock, which blocks the current thread.
    ///
    /// - Parameter onWait: Called before it waits.
    package init(_ path: String, onWait: () -> Void = {}) throws {
        file = try OutputPath(path, followingLink: false).openFile(O_RDWR | O_CREAT)
        if flock(file.descriptor, LOCK_EX | LOCK_NB) == 0 { return }
        if errno == EWOULDBLOCK { onWait() }
        guard retryingOnInterrupt({ flock(file.descriptor, LOCK_EX) }) == 0 else {
            throw FileError("\(path) cannot be locked: \(String(cString: strerror(errno))).")
        }
    }

    package func release() { file.unlock() }
}

/// A new file that atomically replaces an old one when it is complete; all files that are rewritten use this. Until
/// then, it has an unpredictable name next to it. It is deleted if it is not completed: after a kill, by the next one.
package final class Replacement {
    package let file: any RawFile
    private let location: any FileLocation
    /// The name of that file until then.
    package let temporary: String
    private let old: (any RawFile)?
    private var isPending = true

    /// - Parameter old: The existing file, opened by the caller; nil if there is none.
    package init(of location: any FileLocation, old: (any RawFile)?) throws {
        self.location = location
        self.old = old
        (file, temporary) = try location.makeTemporary()
        if let file = file as? SystemFile, let old = old as? SystemFile { file.grant(toGroupOf: old) }
    }

    deinit {
        if isPending { location.removeTemporary(temporary) }
    }

    /// - Parameter syncs: Whether the new file must survive a power failure, for which this waits.
    package func replaceOriginal(syncs: Bool = true) throws {
        if syncs { try file.sync() }
        if let old, !location.holds(old) {
            throw FileError("Another program has replaced \(location.named), which was not changed.")
        }
        try location.moveHere(temporary)
        isPending = false
        if syncs { try location.syncFolder() }
    }
}

/// The files that this process may have open.
package enum OpenFiles {
    #if canImport(Glibc)
        package static let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        package static let kind = RLIMIT_NOFILE
    #endif

    /// The most, after raising the limit as far as 10,240: shells on macOS set 256.
    package static var most: Int {
        var limit = rlimit()
        getrlimit(kind, &limit)
        var raised = limit
        raised.rlim_cur = min(limit.rlim_max, 10_240)
        if limit.rlim_cur < raised.rlim_cur, setrlimit(kind, &raised) == 0 { limit = raised }
        return Int(clamping: limit.rlim_cur)
    }
}
