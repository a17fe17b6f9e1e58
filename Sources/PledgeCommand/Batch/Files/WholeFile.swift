import Foundation

/// A file that is written in one go, such as a page: over an old one only when all of it is there.
final class WholeFile {
    private let path: String
    /// Nil for a device or a pipe, which is written to as it is.
    private let place: SystemPlace?
    private let old: SystemFile?

    /// Looks whether it can be written, and changes nothing.
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
        // One that may not be read is not ours to look into.
        if old != nil, let file = try? place.open(O_RDONLY), try file.isDatabase {
            throw UsageError("\(path) is a SQLite database, and would be lost: name another file.")
        }
    }

    /// - Parameter mode: who may read a file that was not there.
    func write(_ text: String, mode: mode_t = SystemPlace.privateMode) throws {
        guard let place else { return try SystemFile(stream: path).writeAll(text.utf8) }
        let replacement = try Replacement(of: place, old: old)
        if old == nil, let file = replacement.file as? SystemFile { fchmod(file.descriptor, mode) }
        try replacement.file.writeAll(text.utf8)
        try replacement.takePlace()
    }
}
