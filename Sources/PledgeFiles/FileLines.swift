/// Reads the lines of a file that may have been cut off.
package final class FileLines {
    package struct Line {
        package var number: Int
        /// Its position in the file, with its line feed if it has one.
        package var range: Range<Int>
        /// Whether it has a line feed.
        package var isWhole: Bool
        /// Whether it has zeros, as after a power failure.
        package var hasHole: Bool
        /// Whether a kill or a power failure may have cut it off.
        package var isTorn: Bool { !isWhole || hasHole }
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
            number: number, range: end..<end + line.length, isWhole: line.isWhole, hasHole: line.hasHole,
            head: line.bytes)
    }
}

/// What was found in a file of lines that is to be continued.
package struct LineScan {
    /// What a line is.
    package enum Verdict {
        case result
        /// Something that no writer can have left there, such as “is a second result”.
        case foreign(String)
        /// Not JSON, or only the beginning of it.
        case unreadable
    }

    /// The end of the last complete line; the rest was cut off when its writer ended. If that line lacks nothing but its
    /// line feed, it is beyond the end of the file by one.
    package private(set) var wholeLength = 0
    private var faults: [String] = []

    /// Reads all lines.
    ///
    /// - Parameters:
    ///   - opening: What each line begins with. A last line that was cut off is only ours if it begins with it.
    ///   - judge: Takes a line that is not damaged.
    package init(_ lines: FileLines, opening: String, judge: (FileLines.Line) throws -> Verdict) throws {
        var torn: FileLines.Line?
        while let line = try lines.next() {
            guard !line.isTorn else {
                torn = torn ?? line
                continue
            }
            if let torn { faults.append("line \(torn.number) is damaged") }
            torn = nil
            switch try judge(line) {
            case .result: break
            case .foreign(let fault): faults.append("line \(line.number) \(fault)")
            case .unreadable: faults.append("line \(line.number) is not a result")
            }
            wholeLength = line.range.upperBound
        }
        guard let torn else { return }
        switch torn.hasHole ? .unreadable : try judge(torn) {
        case .result: wholeLength = torn.range.upperBound + 1
        case .foreign(let fault): faults.append("line \(torn.number) \(fault)")
        case .unreadable:
            // Where nothing of ours is known to have been, zeros before something else are a file of another kind.
            let isOther = wholeLength == 0 && torn.head.first == 0 && !torn.head.allSatisfy { $0 == 0 }
            if isOther || !Self.mayBegin(torn.head, opening) { faults.append("line \(torn.number) is not a result") }
        }
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
