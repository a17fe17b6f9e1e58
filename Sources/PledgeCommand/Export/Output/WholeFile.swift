import Foundation

/// A file that is written in one go, such as a page: over an old one only when all of it is there.
final class WholeFile {
    private let path: String
    /// Nil for a device or a pipe, which is written to as it is.
    private let place: FilePlace?
    private let old: Int32?

    /// Looks whether it can be written, and changes nothing.
    init(_ path: String) throws {
        self.path = path
        var status = stat()
        let isThere = stat(path, &status) == 0
        if isThere, status.st_mode & S_IFMT != S_IFREG {
            guard status.st_mode & S_IFMT != S_IFDIR else { throw FilePlace.failure(path, EISDIR) }
            (place, old) = (nil, nil)
            return
        }
        let place = try FilePlace(path)
        self.place = place
        guard place.isOpenToFiles else { throw FilePlace.failure(path, errno) }
        old = place.isTaken ? try place.open(O_WRONLY) : nil
    }

    deinit {
        if let old { close(old) }
    }

    func write(_ text: String) throws {
        guard let place else { return try stream(text) }
        let replacement = try Replacement(of: place, old: old)
        try replacement.write(Array(text.utf8))
        try replacement.takePlace()
        close(replacement.descriptor)
    }

    private func stream(_ text: String) throws {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FilePlace.failure(path, errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFREG else {
            throw Failure("\(path) cannot be written: it was something else a moment ago.")
        }
        try writeAll(Array(text.utf8), to: descriptor, name: path)
    }
}
