import Foundation

/// An open file of the system's.
final class SystemFile: RawFile {
    let descriptor: Int32
    private let closes: Bool

    /// - Parameter closes: whether it is closed with this.
    init(_ descriptor: Int32, closes: Bool = true) {
        self.descriptor = descriptor
        self.closes = closes
    }

    deinit {
        if closes { close(descriptor) }
    }

    var isRegular: Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Int {
        while true {
            let count = Foundation.write(descriptor, bytes.baseAddress, bytes.count)
            if count >= 0 { return count }
            switch errno {
            case EINTR: continue
            case EAGAIN:
                var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&wait, 1, -1)
            default: throw SystemError(code: errno)
            }
        }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(SystemError) -> Int {
        try check(pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset)))
    }

    func truncate(to length: Int) throws(SystemError) {
        _ = try check(Int(ftruncate(descriptor, off_t(length))))
        _ = try check(Int(lseek(descriptor, 0, SEEK_END)))
    }

    func length() throws(SystemError) -> Int {
        try check(Int(lseek(descriptor, 0, SEEK_END)))
    }

    func sync() throws(SystemError) {
        _ = try check(Int(fsync(descriptor)))
    }

    func lock() -> Bool {
        flock(descriptor, LOCK_EX | LOCK_NB) == 0
    }

    private func check(_ result: Int) throws(SystemError) -> Int {
        guard result >= 0 else { throw SystemError(code: errno) }
        return result
    }
}

/// Why the whole batch cannot go on.
struct StopError: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) {
        self.description = description
    }

    init(writing name: String, _ code: Int32) {
        switch code {
        case EPIPE: description = "Whoever read \(name) has closed it."
        case ENOSPC, EDQUOT:
            description = "There is no room left for \(name). Make room; an export goes on with --resume."
        default: description = "Writing \(name) failed: \(String(cString: strerror(code)))."
        }
    }
}
