/// A file of lines that survives kills and power failures. A line counts only when it is complete and synced to the
/// disk. Only one process at a time can write the file.
package final class LinesFile {
    package private(set) var file: any RawFile
    package var name: String { file.name }
    /// The length of the lines that count, in bytes.
    package private(set) var length = 0
    /// The location of the file. If writing fails, the file is truncated to the lines that count. Nil for standard
    /// output, devices, and pipes, which can't be truncated.
    private let location: (any FileLocation)?
    private let isSynced: Bool
    /// What the user has to do to continue the file, for messages.
    private let continuing: String

    /// Writes to standard output, a device, or a pipe.
    package init(_ stream: SystemFile) {
        file = stream
        location = nil
        isSynced = stream.isRegular
        continuing = ""
    }

    /// Opens and locks a file. Call ``truncate(toLines:)`` next, which says how much of the file's content is kept.
    ///
    /// - Parameter continuing: What the user has to do to continue the file, for messages, such as “run the job again”.
    package init(at location: any FileLocation, continuing: String) throws {
        self.location = location
        self.continuing = continuing
        file = try location.open()
        isSynced = true
        // The process that had locked the file until now may have replaced it. In that case, the path leads to another
        // file.
        guard file.lock(), location.holds(file) else {
            throw FileError(
                "\(location.path) is being written by another process, or was opened before and not closed: wait for "
                    + "it, or choose another file.")
        }
        try location.syncFolder()
    }

    /// Keeps this many bytes of the file, and cuts off the rest. If the file is shorter than that, the last line lacks
    /// only its line feed, which is added.
    ///
    /// The lines that are kept count from now on. They are synced again, because their writer may have died before it
    /// synced them.
    package func truncate(toLines length: Int) throws {
        if try file.length() < length { try file.writeAll([0x0A]) }
        try file.truncate(to: length)
        try file.sync()
        self.length = length
    }

    /// Lets another writer open the file. Without this call, closures that have already run might keep the file locked
    /// for a moment, because they keep this object alive.
    package func unlock() { if location != nil { file.unlock() } }

    /// Replaces the file with a copy that lacks some lines.
    ///
    /// - Parameter lines: The positions of the lines to leave out, in ascending order.
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

    /// Appends lines durably, either all of them or none.
    ///
    /// - Parameter lines: A closure that passes the bytes of the lines to `write`, in pieces.
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
            // Other programs may read the file before it is continued, and a partial line would disturb them.
            try? file.truncate(to: length)
            guard let error = error as? FileError, error.code != 0 else { throw error }
            throw FileError(
                "\(error) What was written before is intact: \(continuing) when the file can be written again.")
        }
    }

    /// Throws if the file was renamed, replaced, or deleted after it was opened. Without this check, the program would
    /// report success for lines that are gone.
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
