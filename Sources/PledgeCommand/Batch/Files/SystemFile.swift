import Foundation
import PledgeFiles

/// An open file of the file system.
final class SystemFile: RawFile, Sendable {
    let descriptor: Int32
    let name: String
    private let closes: Bool

    /// - Parameter closes: Whether it is closed with this object.
    init(_ descriptor: Int32, named name: String, closes: Bool = true) {
        self.descriptor = descriptor
        self.name = name
        self.closes = closes
    }

    /// Opens an existing file for reading, without waiting for the other end of a pipe; nil if there is none.
    convenience init?(reading path: String) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        self.init(descriptor, named: path)
    }

    /// Opens an inherited descriptor, a device, or a pipe, which is written to directly.
    convenience init(stream path: String) throws {
        self.init(try OutputPath.openStream(path), named: path)
    }

    deinit {
        if closes { close(descriptor) }
    }

    var isRegular: Bool { FileIdentity(descriptor) != nil }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int?) throws(StopError) -> Int {
        while true {
            let count =
                offset.map { pwrite(descriptor, bytes.baseAddress, bytes.count, off_t($0)) }
                ?? Foundation.write(descriptor, bytes.baseAddress, bytes.count)
            if count >= 0 { return count }
            switch errno {
            case EINTR: continue
            case EAGAIN:
                var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&wait, 1, -1)
            default: throw StopError(writing: name, errno)
            }
        }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(StopError) -> Int {
        while true {
            let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
            if count >= 0 { return count }
            guard errno == EINTR else { throw StopError(reading: name, errno) }
        }
    }

    func truncate(to length: Int) throws(StopError) {
        guard ftruncate(descriptor, off_t(length)) == 0 else { throw StopError(writing: name, errno) }
        _ = try self.length()
    }

    func length() throws(StopError) -> Int {
        let end = lseek(descriptor, 0, SEEK_END)
        guard end >= 0 else { throw StopError(writing: name, errno) }
        return Int(end)
    }

    func sync() throws(StopError) {
        guard fsync(descriptor) == 0 else { throw StopError(writing: name, errno) }
    }

    func lock() -> Bool {
        flock(descriptor, LOCK_EX | LOCK_NB) == 0
    }
}

/// The reason the whole batch cannot continue.
struct StopError: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) {
        self.description = description
    }

    init(reading name: String, _ code: Int32) {
        description = "\(name) cannot be read: \(String(cString: strerror(code)))."
    }

    init(writing name: String, _ code: Int32) {
        switch code {
        case EPIPE: description = "The reader of \(name) has closed it."
        case ENOSPC, EDQUOT:
            description =
                "\(name) cannot be written, because the disk is full. Free some space; --resume continues an export."
        default: description = "Writing \(name) failed: \(String(cString: strerror(code)))."
        }
    }
}
