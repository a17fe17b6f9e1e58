/// The result of scanning a file of lines that is to be continued.
package struct LineScan {
    package enum Verdict {
        case result
        /// Something that no writer can have left there, such as “is a second result”.
        case foreign(String)
        case unreadable
    }

    /// The end of the last complete line; the rest was truncated when its writer ended. If that line lacks nothing but
    /// its line feed, it is beyond the end of the file by one.
    package private(set) var wholeLength = 0
    private var faults: [String] = []

    /// Reads all lines, and passes those that are not damaged to `judge`. A truncated last line is only ours if it
    /// begins with `opening`, as every line does.
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
            // Without a complete line of ours, zeros followed by something else are a file of another kind.
            let isOther = wholeLength == 0 && damaged.bytes.first == 0 && !damaged.bytes.allSatisfy { $0 == 0 }
            if isOther || !Self.mayBegin(damaged.bytes, opening) {
                faults.append("line \(damaged.number) is not a result")
            }
        }
    }

    /// Why the file with this name cannot be continued; nil if it can.
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
