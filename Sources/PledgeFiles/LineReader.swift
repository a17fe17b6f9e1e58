/// Reads lines in chunks. Of a line that is too long, only the beginning is kept.
package final class LineReader {
    package struct Line: Sendable {
        /// The content without the line feed, up to the limit.
        package var bytes: [UInt8]
        /// The length of the line, including the line feed.
        package var length: Int
        /// Whether it has a line feed, unlike a last line that was cut off.
        package var isWhole: Bool
        /// Whether it contains a NUL, as in a file whose end was lost in a power failure.
        package var hasHole: Bool
        /// The last byte before the line feed.
        package var last: UInt8?
    }

    private let read: (UnsafeMutableRawBufferPointer) throws -> Int
    private let limit: Int
    private var buffer = [UInt8](repeating: 0, count: 256 << 10)
    private var range = 0..<0
    private var isAtEnd = false

    /// - Parameter read: Reads the next bytes; returns 0 at the end.
    package init(limit: Int, read: @escaping (UnsafeMutableRawBufferPointer) throws -> Int) {
        self.read = read
        self.limit = limit
    }

    /// Returns the next line; nil at the end, or once woken.
    package func next() throws -> Line? {
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
