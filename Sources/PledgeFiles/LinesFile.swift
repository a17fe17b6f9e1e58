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
