import Foundation

/// Reads a file line by line. If a line is too long, only its beginning is kept.
package final class LineReader {
    package struct Line: Sendable {
        package var number: Int
        /// The position of the line in the file. It includes the line feed, if the line has one.
        package var range = 0..<0
        /// The content without the line feed. If the line is too long, only its beginning.
        package var bytes: [UInt8] = []
        /// Whether the line has a line feed. Only the last line may lack it, if the line was truncated.
        package var isWhole = false
        /// Whether the line contains zeros. The end of a file may consist of zeros after a power failure.
        package var hasZeros = false
        /// Whether a kill or a power failure may have damaged the line.
        package var isDamaged: Bool { !isWhole || hasZeros }
    }

    /// The maximum number of bytes of a line that are kept in memory.
    package let limit: Int
    private let read: (UnsafeMutableRawBufferPointer) throws -> Int
    private var number = 0
    private var end = 0
    private var buffer = [UInt8](repeating: 0, count: 256 << 10)
    private var unread = 0..<0
    private var isAtEnd = false

    /// - Parameter read: A closure that reads the next bytes into a buffer, and returns their number, or 0 at the end.
    package init(limit: Int, read: @escaping (UnsafeMutableRawBufferPointer) throws -> Int) {
        self.read = read
        self.limit = limit
    }

    /// Reads a file from its beginning.
    package convenience init(_ file: any RawFile, limit: Int) { self.init(limit: limit, read: file.pieces) }

    /// Returns the next line, or nil at the end.
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

/// The result of checking a file of lines that is to be continued.
package struct LineScan {
    package enum Verdict {
        case result
        /// A line that no writer of such a file can have written. The text says what is wrong, such as “is a second
        /// result”.
        case foreign(String)
        case unreadable
    }

    /// The position at which the last complete line ends. After it, there may be a part of a line whose writer ended
    /// too early.
    ///
    /// If the last line lacks nothing but its line feed, the line counts as complete. This position is then one more
    /// than the length of the file.
    package private(set) var wholeLength = 0
    private var faults: [String] = []

    /// Reads all lines, and checks whether the file can be continued.
    ///
    /// - Parameters:
    ///   - opening: The text that every line begins with. If the last line was truncated, it must begin with this text,
    ///     too, or be the beginning of this text.
    ///   - judge: A closure that returns the verdict on a line. It isn't called for lines that contain zeros.
    package init(_ lines: LineReader, opening: String, judge: (LineReader.Line) throws -> Verdict) throws {
        var damaged: LineReader.Line?
        while let line = try lines.next() {
            guard !line.isDamaged else {
                damaged = damaged ?? line
                continue
            }
            if let damaged { faults.append("line \(damaged.number) is damaged") }
            damaged = nil
            switch try judge(line) {
            case .result: break
            case .foreign(let fault): faults.append("line \(line.number) \(fault)")
            case .unreadable: faults.append("line \(line.number) is not a result")
            }
            wholeLength = line.range.upperBound
        }
        guard let damaged else { return }
        switch damaged.hasZeros ? .unreadable : try judge(damaged) {
        case .result: wholeLength = damaged.range.upperBound + 1
        case .foreign(let fault): faults.append("line \(damaged.number) \(fault)")
        case .unreadable:
            // A power failure may leave a file that consists only of zeros. But if a file begins with zeros, then
            // contains other bytes, and has no complete line, it is a file of another kind.
            let isOther = wholeLength == 0 && damaged.bytes.first == 0 && !damaged.bytes.allSatisfy { $0 == 0 }
            if isOther || !Self.mayBegin(damaged.bytes, opening) {
                faults.append("line \(damaged.number) is not a result")
            }
        }
    }

    /// Returns a message that says why the file with this name can't be continued, or nil if it can.
    package func refusal(of name: String) -> String? {
        guard !faults.isEmpty else { return nil }
        let more = faults.count - 5
        let rest = more > 0 ? "; and \(more) more line\(more == 1 ? "" : "s")" : ""
        return "\(name) was changed by something else after it was written, so nothing was added to it: "
            + "\(faults.prefix(5).joined(separator: "; "))\(rest). Restore these lines or remove them, and start again."
    }

    /// Returns whether these bytes may be what is left of a line. From some byte on, a power failure may have turned
    /// them into zeros.
    private static func mayBegin(_ bytes: [UInt8], _ opening: String) -> Bool {
        let kept = bytes.prefix(opening.utf8.count).prefix { $0 != 0 }
        return opening.utf8.starts(with: kept)
            && bytes.prefix(opening.utf8.count).dropFirst(kept.count).allSatisfy { $0 == 0 }
    }
}
