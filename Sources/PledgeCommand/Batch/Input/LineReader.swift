import Foundation

/// Reads lines from a descriptor, in chunks. Of a line that is too long, only the beginning is kept.
final class LineReader {
    struct Line {
        /// The content without the line feed, up to the limit.
        var bytes: [UInt8]
        /// The length of the line, including the line feed.
        var length: Int
        /// Whether it has a line feed, unlike a last line that was cut off.
        var isWhole: Bool
        /// Whether it contains a NUL, as in a file whose end was lost in a power failure.
        var hasHole: Bool
        /// The last byte before the line feed.
        var last: UInt8?
    }

    private let read: (UnsafeMutableRawBufferPointer) throws -> Int
    private let limit: Int
    private var buffer = [UInt8](repeating: 0, count: 256 << 10)
    private var range = 0..<0
    private var isAtEnd = false

    /// - Parameter read: Reads the next bytes; returns 0 at the end.
    init(limit: Int, read: @escaping (UnsafeMutableRawBufferPointer) throws -> Int) {
        self.read = read
        self.limit = limit
    }

    /// - Parameter wake: Wakes a reader that waits for input that may never arrive.
    convenience init(_ descriptor: Int32, limit: Int, wake: WakePipe? = nil) {
        self.init(limit: limit, read: Self.bytes(of: descriptor, wake: wake))
    }

    /// Returns a closure that reads the next bytes of a descriptor; it returns 0 at the end, or once woken.
    static func bytes(of descriptor: Int32, wake: WakePipe?) -> (UnsafeMutableRawBufferPointer) throws -> Int {
        { buffer in
            while wake?.waitForInput(descriptor) ?? true {
                let count = Foundation.read(descriptor, buffer.baseAddress, buffer.count)
                if count >= 0 { return count }
                guard errno == EINTR || errno == EAGAIN else {
                    throw StopError(reading: "The input", errno)
                }
            }
            return 0
        }
    }

    /// Returns the next line; nil at the end, or once woken.
    func next() throws -> Line? {
        var line = Line(bytes: [], length: 0, isWhole: false, hasHole: false, last: nil)
        while true {
            if range.isEmpty { try fill() }
            guard !range.isEmpty else { return line.length > 0 ? line : nil }
            let end = buffer[range].firstIndex(of: 0x0A)
            let part = buffer[range.lowerBound..<(end ?? range.upperBound)]
            line.bytes += part.prefix(max(0, limit - line.bytes.count))
            line.length += part.count
            line.hasHole = line.hasHole || part.contains(0)
            line.last = part.last ?? line.last
            guard let end else {
                range = 0..<0
                continue
            }
            range = end + 1..<range.upperBound
            line.length += 1
            line.isWhole = true
            return line
        }
    }

    private func fill() throws {
        guard !isAtEnd else { return }
        let count = try buffer.withUnsafeMutableBytes { try read($0) }
        range = 0..<count
        isAtEnd = count == 0
    }
}

/// Ends a wait for input from another thread.
final class WakePipe: Sendable {
    private let ends: (read: Int32, write: Int32)

    init() throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw Failure("No pipe could be made: \(String(cString: strerror(errno))).") }
        self.ends = (ends[0], ends[1])
    }

    deinit {
        close(ends.read)
        close(ends.write)
    }

    func signal() {
        _ = write(ends.write, [1], 1)
    }

    /// Returns false if it was woken first.
    fileprivate func waitForInput(_ descriptor: Int32) -> Bool {
        var waits = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: ends.read, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&waits, 2, -1) < 0, errno == EINTR {}
        return waits[1].revents == 0
    }
}
