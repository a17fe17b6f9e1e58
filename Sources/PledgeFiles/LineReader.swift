/// Reads lines in chunks. Of a line that is too long, only the beginning is kept.
package final class LineReader {
    package struct Line: Sendable {
        package var number: Int
        /// Its position, with its line feed if it has one.
        package var range = 0..<0
        /// The content without the line feed, up to the limit.
        package var bytes: [UInt8] = []
        /// Whether it has a line feed, unlike a last line that was truncated.
        package var isWhole = false
        /// Whether it contains zeros, as in a file whose end was lost in a power failure.
        package var hasZeros = false
        /// Whether a kill or a power failure may have damaged it.
        package var isDamaged: Bool { !isWhole || hasZeros }
    }

    /// The length beyond which only the beginning of a line is in memory.
    package let limit: Int
    private let read: (UnsafeMutableRawBufferPointer) throws -> Int
    private var (number, end) = (0, 0)
    private var buffer = [UInt8](repeating: 0, count: 256 << 10)
    private var unread = 0..<0
    private var isAtEnd = false

    /// - Parameter read: Reads the next bytes; returns 0 at the end.
    package init(limit: Int, read: @escaping (UnsafeMutableRawBufferPointer) throws -> Int) {
        self.read = read
        self.limit = limit
    }

    /// Reads a file from its beginning.
    package convenience init(_ file: any RawFile, limit: Int) { self.init(limit: limit, read: file.pieces) }

    /// Returns the next line; nil at the end.
    package func next() throws -> Line? {
        let start = end
        var line = Line(number: number + 1)
        while !line.isWhole {
            if unread.isEmpty { try fill() }
            guard !unread.isEmpty else { break }
            let feed = buffer[unread].firstIndex(of: 0x0A)
            let part = buffer[unread.lowerBound..<(feed ?? unread.upperBound)]
            line.bytes += part.prefix(max(0, limit - line.bytes.count))
            line.isWhole = feed != nil
            line.hasZeros = line.hasZeros || part.contains(0)
            end += part.count + (line.isWhole ? 1 : 0)
            unread = feed.map { buffer.index(after: $0)..<unread.upperBound } ?? unread.upperBound..<unread.upperBound
        }
        number += 1
        line.range = start..<end
        return end == start ? nil : line
    }

    private func fill() throws {
        guard !isAtEnd else { return }
        let count = try buffer.withUnsafeMutableBytes { try read($0) }
        unread = 0..<count
        isAtEnd = count == 0
    }
}
