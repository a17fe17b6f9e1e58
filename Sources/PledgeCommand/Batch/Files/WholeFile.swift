import Foundation

/// A file that is written at once, such as a page: it replaces an old one only when it is complete.
final class WholeFile {
    private let path: String
    /// The place of the file; nil for a device or a pipe, which is written to directly.
    private let place: SystemPlace?
    private let old: SystemFile?

    /// Checks that the file can be written, without changing anything.
    init(_ path: String) throws {
        self.path = path
        var status = stat()
        let isThere = stat(path, &status) == 0
        if isThere, status.st_mode & S_IFMT != S_IFREG {
            guard status.st_mode & S_IFMT != S_IFDIR else { throw SystemPlace.failure(path, EISDIR) }
            (place, old) = (nil, nil)
            return
        }
        let place = try SystemPlace(path)
        self.place = place
        guard place.isOpenToFiles else { throw SystemPlace.failure(path, errno) }
        old = place.isTaken ? try place.open(O_WRONLY) : nil
        // A file without read permission is not opened.
        if old != nil, let file = try? place.open(O_RDONLY), try file.isDatabase {
            throw UsageError("\(path) is a SQLite database, which would be overwritten: choose another file.")
        }
    }

    /// - Parameter mode: The mode of a file that did not exist.
    func write(_ text: String, mode: mode_t = SystemPlace.privateMode) throws {
        guard let place else { return try SystemFile(stream: path).writeAll(text.utf8) }
        let replacement = try Replacement(of: place, old: old)
        if old == nil, let file = replacement.file as? SystemFile { fchmod(file.descriptor, mode) }
        try replacement.file.writeAll(text.utf8)
        try replacement.takePlace()
    }
}
