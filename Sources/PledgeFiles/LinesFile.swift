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
        (self.location, self.continuing) = (location, continuing)
        file = try location.open()
        isSynced = true
        // The process that held it until now may have replaced the file.
        guard file.lock(), location.holds(file) else {
            throw FileError(
                "\(location.named) is being written by another process, or was opened before and not closed: wait for it, "
                    + "or choose another file.")
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
                guard !kept.isEmpty else { throw FileError("\(name) was truncated while it was read.") }
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
                "\(name) was changed by another program while it was written: restore it, and \(continuing).")
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
            throw FileError("\(error) What was written before is intact: \(continuing) when it can be written again.")
        }
    }

    /// Checks that the file is still where it was opened, so that success is not reported for lines that are gone.
    package func checkLocation() throws {
        guard let location, !location.holds(file) else { return }
        guard let now = location.currentPath(of: file) else {
            throw FileError(
                location.isTaken
                    ? "\(name) was replaced by another file while it was written: \(continuing), which uses that one."
                    : "\(name) was deleted while it was written, with its content: start again.")
        }
        throw FileError(
            "\(name) was renamed while it was written; its content is in \(now). Move it back, and \(continuing).")
    }
}
