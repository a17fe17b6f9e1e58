import Foundation

/// A body that is read from files while it is sent, so that it is never in memory as a whole.
struct FileBody: Hashable, Sendable {
    enum Piece: Hashable, Sendable {
        case bytes(Data)
        /// A file with its size, which must not change before it is sent.
        case file(URL, size: Int)
    }

    let pieces: [Piece]

    /// The size of the body in bytes.
    var count: Int {
        pieces.reduce(0) { count, piece in
            switch piece {
            case .bytes(let bytes): count + bytes.count
            case .file(_, let size): count + size
            }
        }
    }

    /// The body without its files: the fields of a form, which may be secret.
    var fields: Data {
        pieces.reduce(into: Data()) { if case .bytes(let bytes) = $1 { $0 += bytes } }
    }

    /// The file, if the body consists of nothing else.
    var file: URL? {
        if pieces.count == 1, case .file(let url, _) = pieces[0] { url } else { nil }
    }

    /// Returns a piece for a file.
    static func piece(_ url: URL) throws(UnreadableFile) -> Piece {
        let file = try InputFile(url)
        return .file(url, size: file.size)
    }

    /// Calls the closure with one part of the body after another.
    func forEachChunk(_ body: (Data) throws -> Void) throws {
        let reader = FileBodyReader(self)
        while true {
            var chunk = Data(count: 1 << 16)
            let count = try chunk.withUnsafeMutableBytes { try reader.read(into: $0) }
            guard count > 0 else { return }
            try body(chunk.prefix(count))
        }
    }

    /// Returns all bytes, for a transport that does not stream.
    func data() throws -> Data {
        var data = Data()
        try forEachChunk { data += $0 }
        return data
    }
}

/// The reason for which a file of a body is not sent. It does not contain the path, which may be private.
struct UnreadableFile: Error, CustomStringConvertible {
    let description: String

    init(_ problem: String) { description = "a file of the body cannot be read: \(problem)" }
}

/// An open file to read.
private final class InputFile {
    let size: Int
    private let descriptor: Int32

    init(_ url: URL) throws(UnreadableFile) {
        guard url.isFileURL else { throw UnreadableFile("its URL is not that of a file") }
        // Opening a pipe would otherwise wait for its writer.
        descriptor = open(url.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw UnreadableFile(String(cString: strerror(errno))) }
        var status = stat()
        let isFile = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        size = Int(status.st_size)
        guard isFile else { throw UnreadableFile("it is not a regular file") }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(UnreadableFile) -> Int {
        while true {
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            guard errno == EINTR else { throw UnreadableFile(String(cString: strerror(errno))) }
        }
    }
}

/// Reads a body from its beginning to its end.
final class FileBodyReader {
    private var pieces: ArraySlice<FileBody.Piece>
    /// The file that is being read.
    private var file: InputFile?
    /// The bytes of the first piece that were read.
    private var offset = 0

    init(_ body: FileBody) { pieces = body.pieces[...] }

    /// Reads the next bytes.
    ///
    /// - Returns: Their number, which is 0 only at the end.
    /// - Throws: If a file has become shorter, as the service was told the body's size. What was added is not sent.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(UnreadableFile) -> Int {
        while let piece = pieces.first {
            let count: Int
            switch piece {
            case .bytes(let bytes):
                let next = bytes.dropFirst(offset).prefix(buffer.count)
                count = next.count
                buffer.copyBytes(from: next)
            case .file(let url, let size):
                if file == nil { file = try InputFile(url) }
                let room = min(buffer.count, size - offset)
                count = try file?.fill(UnsafeMutableRawBufferPointer(rebasing: buffer[..<room])) ?? 0
                if count == 0, offset < size { throw UnreadableFile("it has become shorter") }
            }
            if count > 0 {
                offset += count
                return count
            }
            (pieces, file, offset) = (pieces.dropFirst(), nil, 0)
        }
        return 0
    }
}
