import Foundation
import PledgeFiles

/// A file, such as a page, that replaces an old one only when it is complete.
final class WholeFile {
    private let path: String
    /// Nil for a device or a pipe, which is written to directly.
    private let location: OutputPath?
    private let old: SystemFile?

    /// Checks, without changes, that the file can be written.
    ///
    /// - Parameters:
    ///   - mode: The mode of the file.
    ///   - isSecret: Whether others must not be able to read the content.
    init(_ path: String, mode: mode_t = OutputPath.privateMode, isSecret: Bool = false) throws {
        self.path = path
        location = OutputPath.isStream(path) ? nil : try OutputPath(path, mode: mode, isSecret: isSecret)
        guard let location else {
            old = nil
            return
        }
        guard location.isOpenToFiles else { throw FileError(writing: path, errno) }
        old = location.isTaken ? try location.openFile(O_WRONLY) : nil
        // A file that this process can't read is not checked for being a database.
        if old != nil, let file = try? location.openFile(O_RDONLY), try file.isDatabase {
            throw UsageError("\(path) is a SQLite database, which would be overwritten: choose another file.")
        }
    }

    /// Locks the old file, unless it is the one that ``write(_:)`` returned before; false if another process has it.
    func lock(writtenBefore: SystemFile?) -> Bool {
        guard let location, let old else { return true }
        return writtenBefore.map(location.holds) ?? (old.lockIfPossible() && location.holds(old))
    }

    /// Returns the new file, which is locked as long as it is open; nil for a device or a pipe.
    @discardableResult func write(_ text: String) throws -> SystemFile? {
        guard let location else {
            try SystemFile(stream: path).writeAll(text.utf8)
            return nil
        }
        let replacement = try Replacement(of: location, old: old)
        try replacement.file.writeAll(text.utf8)
        try replacement.replaceOriginal()
        return replacement.file as? SystemFile
    }
}
