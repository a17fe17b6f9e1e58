import Foundation

/// Bytes that are not written yet: in memory while they are few, else in a temporary file without a name.
final class Spool {
    private var memory: [UInt8] = []
    private var file: Int32?
    private(set) var count = 0

    /// Bytes held in memory for one account; with a hundred accounts under way that is some megabytes.
    static let mostInMemory = 128 << 10

    var isEmpty: Bool { count == 0 }

    deinit {
        if let file { close(file) }
    }

    func append(_ bytes: [UInt8]) throws {
        memory += bytes
        count += bytes.count
        if memory.count > Self.mostInMemory { try spill() }
    }

    private func spill() throws {
        if file == nil {
            let folder = ProcessInfo.processInfo.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
            var path = Array("\(folder)/pledge-export-XXXXXX".utf8CString)
            let opened = mkstemp(&path)
            guard opened >= 0 else { throw StopError(writing: "a temporary file in \(folder)", errno) }
            // Gone with the process, however that ends.
            unlink(path)
            file = opened
        }
        guard let file else { return }
        try writeAll(memory, to: file, name: "a temporary file")
        memory.removeAll(keepingCapacity: true)
    }

    /// All of it, in order, a piece at a time.
    func forEachPiece(_ body: ([UInt8]) throws -> Void) throws {
        if let file {
            guard lseek(file, 0, SEEK_SET) == 0 else { throw StopError(writing: "a temporary file", errno) }
            var buffer = [UInt8](repeating: 0, count: 128 << 10)
            while true {
                let count = read(file, &buffer, buffer.count)
                guard count != 0 else { break }
                guard count > 0 else { throw StopError(writing: "a temporary file", errno) }
                try body(Array(buffer[..<count]))
            }
        }
        try body(memory)
    }
}

/// Writes everything, however many calls it takes.
func writeAll(_ bytes: [UInt8], to descriptor: Int32, name: String) throws {
    try bytes.withUnsafeBytes { buffer in
        var rest = buffer[...]
        while !rest.isEmpty {
            let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&wait, 1, -1)
            } else if errno != EINTR {
                throw StopError(writing: name, errno)
            }
        }
    }
}

/// Why the whole export cannot go on.
struct StopError: Error, CustomStringConvertible {
    var description: String

    init(writing name: String, _ code: Int32) {
        switch code {
        case EPIPE: description = "Whoever read \(name) has closed it."
        case ENOSPC, EDQUOT:
            description = "There is no room left for \(name). Make room; an export goes on with --resume."
        default: description = "Writing \(name) failed: \(String(cString: strerror(code)))."
        }
    }
}
