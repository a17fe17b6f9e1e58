/// A file of lines that are complete and synced before they count, so that they survive kills and power failures. One
/// process at a time writes it.
package final class LinesFile {
    package private(set) var file: any RawFile
    package var name: String { file.name }
    /// The length of the lines that count.
    package private(set) var length = 0
    /// The location of the file, truncated to whole lines if writing fails; nil for standard output, devices, and
    /// pipes.
    private let location: (any FileLocation)?
    private let isSynced: Bool
    /// How to continue the file, for messages.
    private let continuing: String

    /// Writes to standard output, a device, or a pipe.
    package init(_ stream: SystemFile) {
        file = stream
        location = nil
        isSynced = stream.isRegular
        continuing = ""
    }

    /// Opens and locks a file; ``truncate(toLines:)`` keeps what it contains. `continuing` is how to continue the file,
    /// for messages, such as “run the job again”.
    package init(at location: any FileLocation, continuing: String) throws {
        self.location = location
        self.continuing = continuing
        file = try location.open()
        isSynced = true
        // The process that held it until now may have replaced the file.
        guard file.lock(), location.holds(file) else {
            throw FileError(
                "\(location.named) is being written by another process, or was opened before and not closed: wait for "
                    + "it, or choose another file.")
        }
        try location.syncFolder()
    }

    /// Keeps the first bytes of the file and cuts off the rest; ends the last line if that is all it lacks. These lines
    /// count from now on, so they must be durable: their writer may have died before a sync.
    package func truncate(toLines length: Int) throws {
        if try file.length() < length { try file.writeAll([0x0A]) }
        try file.truncate(to: length)
        try file.sync()
        self.length = length
    }

    /// Lets another writer open the file, even if closures that have run hold this object for a moment longer.
    package func unlock() { if location != nil { file.unlock() } }

    /// Replaces the file with a copy that lacks some lines.
    package func drop(_ lines: [Range<Int>]) throws {
        guard let location else { return }
        let copy = try Replacement(of: location, old: file)
        var start = 0
        for end in lines + [length..<length] {
            while start < end.lowerBound {
                let kept = try file.read(min(256 << 10, end.lowerBound - start), at: start)
                guard !kept.isEmpty else { throw FileError("\(name) was truncated while it was being read.") }
                try copy.file.writeAll(kept)
                start += kept.count
            }
            start = end.upperBound
        }
        try copy.replaceOriginal()
        file = copy.file
        length = try file.length()
    }

    /// Appends lines durably, all of them or none. `lines` passes their bytes on, in pieces.
    package func append(_ lines: (_ write: ([UInt8]) throws -> Void) throws -> Void) throws {
        try checkLocation()
        if location != nil, try file.length() != length {
            throw FileError(
                "\(name) was changed by another program while it was being written: restore it, and \(continuing).")
        }
        do {
            var count = 0
            try lines { piece in
                try file.writeAll(piece)
                count += piece.count
            }
            if isSynced { try file.sync() }
            length += count
        } catch {
            guard location != nil else { throw error }
            // A partial line would disturb readers of the file before it is continued.
            try? file.truncate(to: length)
            guard let error = error as? FileError, error.code != 0 else { throw error }
            throw FileError(
                "\(error) What was written before is intact: \(continuing) when the file can be written again.")
        }
    }

    /// Checks that the file is still where it was opened, so that success is not reported for lines that are gone.
    package func checkLocation() throws {
        guard let location, !location.holds(file) else { return }
        guard let now = location.currentPath(of: file) else {
            throw FileError(
                location.isTaken
                    ? "\(name) was replaced by another file while it was being written: to use the new file, "
                        + "\(continuing)."
                    : "\(name) was deleted while it was being written, and its content is lost: start again.")
        }
        throw FileError(
            "\(name) was renamed while it was being written; its content is in \(now). Move it back, and "
                + "\(continuing).")
    }
}

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
    private var number = 0
    private var end = 0
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
        return "\(name) was changed by something else after it was written, so nothing was added to it: "
            + "\(faults.prefix(5).joined(separator: "; "))\(rest). Restore these lines or remove them, and start again."
    }

    /// Whether this may be the beginning of a line, part of which a power failure may have left as zeros.
    private static func mayBegin(_ bytes: [UInt8], _ opening: String) -> Bool {
        let kept = bytes.prefix(opening.utf8.count).prefix { $0 != 0 }
        return opening.utf8.starts(with: kept)
            && bytes.prefix(opening.utf8.count).dropFirst(kept.count).allSatisfy { $0 == 0 }
    }
}
