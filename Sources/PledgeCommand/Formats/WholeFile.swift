import Foundation
import PledgeFiles

/// A file, such as a page. It replaces the old file only when it is complete.
final class WholeFile {
    private let path: String
    /// Nil for a device or a pipe, which is written to directly.
    private let location: OutputPath?
    private let old: SystemFile?

    /// Checks that the file can be written, without changing anything.
    ///
    /// - Parameters:
    ///   - mode: The mode of the file.
    ///   - isSecret: Whether the content must be kept from others.
    init(_ path: String, mode: mode_t = OutputPath.privateMode, isSecret: Bool = false) throws {
        self.path = path
        location = OutputPath.isStream(path) ? nil : try OutputPath(path, mode: mode, isSecret: isSecret)
        guard let location else {
            old = nil
            return
        }
        guard location.isOpenToFiles else { throw FileError(writing: path, errno) }
        old = location.isTaken ? try location.openFile(O_WRONLY) : nil
        // If this process can't read the file, it can't check whether the file is a database.
        if old != nil, let file = try? location.openFile(O_RDONLY), try file.isDatabase {
            throw UsageError("\(path) is a SQLite database, which would be overwritten: choose another file.")
        }
    }

    /// Locks the old file, unless ``write(_:)`` returned it, because then it is still locked. Returns false if another
    /// process has the lock.
    func lock(writtenBefore: SystemFile?) -> Bool {
        guard let location, let old else { return true }
        return writtenBefore.map(location.holds) ?? (old.lockIfPossible() && location.holds(old))
    }

    /// Returns the new file, which stays locked until it is closed; nil for a device or a pipe.
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
