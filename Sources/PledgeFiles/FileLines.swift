/// Reads the lines of a file that may have been cut off.
package final class FileLines {
    package struct Line {
        package var number: Int
        /// Its position in the file, with its line feed.
        package var range: Range<Int>
        /// Whether a kill or a power failure has cut it off: it has no line feed, or has zeros.
        package var isTorn: Bool
        /// All of it, if it is not too long.
        package var head: [UInt8]
    }

    package let file: any RawFile
    /// The length beyond which only the beginning of a line is in memory.
    package let limit: Int
    private let reader: LineReader
    private var (number, end) = (0, 0)

    package init(_ file: any RawFile, limit: Int) {
        (self.file, self.limit) = (file, limit)
        reader = LineReader(limit: limit, read: file.pieces)
    }

    package func next() throws -> Line? {
        guard let line = try reader.next() else { return nil }
        number += 1
        defer { end += line.length }
        return Line(
            number: number, range: end..<end + line.length, isTorn: !line.isWhole || line.hasHole, head: line.bytes)
    }
}

/// What was found in a file of lines that is to be continued.
package struct LineScan {
    /// The end of the last complete line; the rest was cut off when its writer ended.
    package private(set) var wholeLength = 0
    private var faults: [String] = []

    /// Reads all lines.
    ///
    /// - Parameters:
    ///   - opening: What each line begins with. A last line that was cut off is only ours if it begins with it.
    ///   - take: Takes a complete line; returns nil, or why no writer can have left it there, such as “is not a result”.
    package init(_ lines: FileLines, opening: String, take: (FileLines.Line) throws -> String?) throws {
        var torn: FileLines.Line?
        while let line = try lines.next() {
            guard !line.isTorn else {
                torn = torn ?? line
                continue
            }
            if let torn { faults.append("line \(torn.number) is damaged") }
            torn = nil
            if let fault = try take(line) { faults.append("line \(line.number) \(fault)") }
            wholeLength = line.range.upperBound
        }
        if let torn, !Self.mayBegin(torn.head, opening) { faults.append("line \(torn.number) is not a result") }
    }

    /// Why the file cannot be continued; nil if it can.
    ///
    /// - Parameter name: The name of the file.
    package func refusal(of name: String) -> String? {
        guard !faults.isEmpty else { return nil }
        let more = faults.count - 5
        let rest = more > 0 ? "; and \(more) more line\(more == 1 ? "" : "s")" : ""
        return "\(name) was changed since it was written, and stays as it is: "
            + "\(faults.prefix(5).joined(separator: "; "))\(rest). Restore these lines or remove them, and start again."
    }

    /// Whether this may be the beginning of a line, part of which a power failure may have left as zeros.
    private static func mayBegin(_ bytes: [UInt8], _ opening: String) -> Bool {
        let kept = bytes.prefix(opening.utf8.count).prefix { $0 != 0 }
        return opening.utf8.starts(with: kept)
            && bytes.prefix(opening.utf8.count).dropFirst(kept.count).allSatisfy { $0 == 0 }
    }
}
