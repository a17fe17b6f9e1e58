import Foundation
import PledgeFiles

/// A file that is written as a whole, such as a web page. The new file replaces the old one only when it is complete.
final class WholeFile {
    private let path: String
    /// The location of the file. Nil for a device or a pipe, which is written directly.
    private let location: OutputPath?
    private let old: SystemFile?

    /// Checks that the file can be written. Nothing is changed yet.
    ///
    /// - Parameters:
    ///   - mode: The permissions of the new file.
    ///   - isSecret: Whether the content is a secret, which must not be stored where others may read it.
    init(_ path: String, mode: mode_t = OutputPath.privateMode, isSecret: Bool = false) throws {
        self.path = path
        location = OutputPath.isStream(path) ? nil : try OutputPath(path, mode: mode, isSecret: isSecret)
        guard let location else {
            old = nil
            return
        }
        guard location.isOpenToFiles else { throw FileError(writing: path, errno) }
        old = location.isTaken ? try location.openFile(O_WRONLY) : nil
        // If this process may not read the old file, it can't check whether the file is a database, and skips the
        // check.
        if old != nil, let file = try? location.openFile(O_RDONLY), try file.isDatabase {
            throw UsageError("\(path) is a SQLite database, which would be overwritten: choose another file.")
        }
    }

    /// Locks the existing file, and returns whether that succeeded. Returns false if another process holds the lock, or
    /// if the path now leads to another file. A new file, a device, and a pipe need no lock, so this method returns
    /// true.
    ///
    /// - Parameter writtenBefore: The file that an earlier ``write(_:)`` returned, which is still locked; nil if there
    ///   was none.
    func lock(writtenBefore: SystemFile?) -> Bool {
        guard let location, let old else { return true }
        return writtenBefore.map(location.holds) ?? (old.lockIfPossible() && location.holds(old))
    }

    /// Writes the file, and returns it. It stays locked until it is closed. Returns nil for a device or a pipe.
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
