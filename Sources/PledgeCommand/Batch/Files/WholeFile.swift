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
    }

    /// - Parameter mode: who may read a file that was not there.
    func write(_ text: String, mode: mode_t = SystemPlace.privateMode) throws {
        guard let place else { return try stream(text) }
        let replacement = try Replacement(of: place, old: old)
        if old == nil, let file = replacement.file as? SystemFile { fchmod(file.descriptor, mode) }
        try replacement.write(Array(text.utf8))
        try replacement.takePlace()
    }

    private func stream(_ text: String) throws {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemPlace.failure(path, errno) }
        let file = SystemFile(descriptor)
        guard !file.isRegular else {
            throw Failure("\(path) cannot be written: it was something else a moment ago.")
        }
        try file.writeAll(Array(text.utf8), name: path)
    }
}
