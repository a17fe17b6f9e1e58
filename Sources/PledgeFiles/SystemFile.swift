import Foundation

/// An open file, device, or pipe, with its descriptor.
package final class SystemFile: RawFile, Sendable {
    package let descriptor: Int32
    package let name: String
    private let closes: Bool

    /// - Parameter closes: Whether the descriptor is closed when this object is released.
    package init(_ descriptor: Int32, named name: String, closes: Bool = true) {
        self.descriptor = descriptor
        self.name = name
        self.closes = closes
    }

    /// Opens an existing file for reading, or returns nil if that isn't possible. If it is a pipe, this doesn't wait
    /// until another process opens the pipe's other end.
    package convenience init?(reading path: String) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        self.init(descriptor, named: path)
    }

    /// Opens something that is written to directly: a descriptor that the process has inherited, or a device or pipe
    /// that belongs to the caller or to root.
    ///
    /// A device or pipe is opened only for writing. If a process could also read a pipe, it would never learn that the
    /// pipe's reader is gone.
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
        let descriptor = openat(location.folderDescriptor, location.fileName, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError(writing: path, errno) }
        self.init(descriptor, named: path)
        guard !isRegular, location.holds(descriptor) else {
            throw FileError("\(path) cannot be written: it was replaced a moment ago.")
        }
    }

    deinit {
        guard closes else { return }
        // The lock is released explicitly, because closing the descriptor might not release it at once. A process that
        // is being started has a copy of the descriptor for a moment.
        unlock()
        close(descriptor)
    }

    package var isRegular: Bool { fileStatus(descriptor)?.isRegular == true }

    /// If this file and another file have the same group, gives the group all permissions for this file that it has for
    /// the other file.
    ///
    /// A user may have let a group read a file in a folder with the set-group-ID bit. If the file is then replaced, the
    /// user doesn't expect to have to do that again.
    func grant(toGroupOf other: SystemFile) {
        guard let own = fileStatus(descriptor), let given = fileStatus(other.descriptor), own.st_gid == given.st_gid
        else { return }
        fchmod(descriptor, own.st_mode & 0o777 | given.st_mode & 0o070)
    }

    /// Whether the file still has a name, which means that it wasn't deleted.
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
        guard syncToDisk(descriptor) else { throw FileError(writing: name, errno) }
    }

    package func lock() -> Bool {
        flock(descriptor, LOCK_EX | LOCK_NB) == 0
    }

    /// Locks the file if its file system supports locks. Returns false only if another process has locked the file.
    package func lockIfPossible() -> Bool { lock() || errno != EWOULDBLOCK }

    package func unlock() { flock(descriptor, LOCK_UN) }
}

/// Repeats a system call for as long as signals interrupt it.
package func retryingOnInterrupt<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return result }
    }
}

/// Returns the status of an open file, or nil if the status can't be read.
func fileStatus(_ descriptor: Int32) -> stat? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? status : nil
}

extension stat {
    var isRegular: Bool { st_mode & S_IFMT == S_IFREG }
}

/// A lock on a file, which only one process at a time can hold. The system releases the lock when the process ends,
/// even if the process crashes.
package final class FileLock: Sendable {
    private let file: SystemFile

    /// Acquires the lock. If another process holds it, blocks the calling thread until that process releases it.
    ///
    /// - Parameter onWait: A closure that is called before the thread blocks.
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

/// A lock that allows only one process at a time to use a file. It is released on deinitialization, and when the process
/// ends for any reason.
///
/// The lock is on a separate file beside the file. If it were on the file itself, closing that file would release all
/// locks that SQLite holds on it in this process.
package final class FileClaim: Sendable {
    private let path: OutputPath
    package let file: SystemFile

    /// Locks a file for this process. Returns nil if another process has locked it.
    ///
    /// - Parameter claimed: The path of the file. The file doesn't have to exist yet.
    package init?(beside claimed: OutputPath) throws {
        path = OutputPath(claimed, "-claim")
        for _ in 0..<16 {
            let file = try path.openFile(O_RDWR | O_CREAT)
            guard file.lock() else {
                guard errno == EWOULDBLOCK else { throw FileError(writing: claimed.path, errno) }
                return nil
            }
            if path.holds(file) {
                self.file = file
                return
            }
            // The process that held the lock before has removed the file that this process opened, and another process
            // may have created a new file. The next attempt tries to lock the file that is there now.
        }
        return nil
    }

    // The lock file is removed before the lock is released.
    deinit { unlinkat(path.folderDescriptor, path.fileName, 0) }
}

/// A new file that atomically replaces an old file when the new file is complete. All files that the program rewrites
/// are replaced in this way.
///
/// Until the new file is complete, it is in the same folder as the old file, under an unpredictable name. If it is
/// never completed, it is deleted. If the process is killed before it can delete the file, the next replacement in the
/// folder deletes the file.
package final class Replacement {
    package let file: any RawFile
    private let location: any FileLocation
    /// The name of the new file until it replaces the old file.
    package let temporary: String
    private let old: (any RawFile)?
    private var isPending = true

    /// - Parameter old: The old file, which the caller has opened, or nil if there is no old file.
    package init(of location: any FileLocation, old: (any RawFile)?) throws {
        self.location = location
        self.old = old
        (file, temporary) = try location.makeTemporary()
        if let file = file as? SystemFile, let old = old as? SystemFile { file.grant(toGroupOf: old) }
    }

    deinit {
        if isPending { location.removeTemporary(temporary) }
    }

    /// - Parameter syncs: Whether the new file must survive a power failure. If so, this method waits until the file is
    ///   on the disk.
    package func replaceOriginal(syncs: Bool = true) throws {
        if syncs { try file.sync() }
        if let old, !location.holds(old) {
            throw FileError("Another program has replaced \(location.path), which was not changed.")
        }
        try location.moveHere(temporary)
        isPending = false
        if syncs { try location.syncFolder() }
    }
}

/// The limit on the number of files that this process may have open at the same time.
package enum OpenFiles {
    #if canImport(Glibc)
        package static let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        package static let kind = RLIMIT_NOFILE
    #endif

    /// Raises the limit to 10,240 files, or as far as the system allows, unless it is higher already. Returns the limit.
    /// On macOS, shells set it to only 256.
    @discardableResult
    package static func raiseLimit() -> Int {
        var limit = rlimit()
        getrlimit(kind, &limit)
        var raised = limit
        raised.rlim_cur = min(limit.rlim_max, 10_240)
        if limit.rlim_cur < raised.rlim_cur, setrlimit(kind, &raised) == 0 { limit = raised }
        return Int(clamping: limit.rlim_cur)
    }
}

/// Makes a file or a folder survive a power failure. Returns false, and sets `errno`, if that fails.
func syncToDisk(_ descriptor: CInt) -> Bool {
    #if canImport(Darwin)
        // On Apple platforms, `fsync` leaves the bytes in the cache of the disk. Not every file system can flush it.
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return true }
    #endif
    return fsync(descriptor) == 0
}
