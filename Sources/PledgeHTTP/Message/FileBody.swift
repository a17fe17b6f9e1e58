import Foundation
import PledgeFiles

/// A body as it is sent, in pieces: bytes, or files that are read meanwhile, so that it is never in memory as a whole.
struct FileBody: Hashable, Sendable {
    enum Piece: Hashable, Sendable {
        case bytes(Data)
        /// A file with its size, which must not change before it is sent.
        case file(URL, size: Int)
    }

    let pieces: [Piece]

    init(pieces: [Piece]) { self.pieces = pieces }

    init(_ bytes: Data) { pieces = [.bytes(bytes)] }

    /// The bytes, if the body consists of nothing else.
    var bytes: Data? {
        if pieces.count == 1, case .bytes(let bytes) = pieces[0] { bytes } else { nil }
    }

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
        let file = try open(url)
        do { return .file(url, size: try file.length()) } catch { throw UnreadableFile(error) }
    }

    fileprivate static func open(_ url: URL) throws(UnreadableFile) -> SystemFile {
        guard url.isFileURL else { throw UnreadableFile("its URL is not that of a file") }
        guard let file = SystemFile(reading: url.path) else { throw UnreadableFile(String(cString: strerror(errno))) }
        guard file.isRegular else { throw UnreadableFile("it is not a regular file") }
        return file
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

    init(_ error: FileError) { self.init(String(cString: strerror(error.code))) }
}

/// Reads a body from its beginning to its end.
final class FileBodyReader {
    private var pieces: ArraySlice<FileBody.Piece>
    /// The file that is being read.
    private var file: SystemFile?
    /// The bytes of the first piece that were read.
    private var offset = 0

    init(_ body: FileBody) { pieces = body.pieces[...] }

    /// Reads the next bytes, and returns their number, which is 0 only at the end. Throws if a file has become shorter,
    /// as the service was told the body's size; bytes that were added to it are not sent.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(UnreadableFile) -> Int {
        while let piece = pieces.first {
            let count: Int
            switch piece {
            case .bytes(let bytes):
                let next = bytes.dropFirst(offset).prefix(buffer.count)
                count = next.count
                buffer.copyBytes(from: next)
            case .file(let url, let size):
                if file == nil { file = try FileBody.open(url) }
                let room = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(buffer.count, size - offset)])
                do { count = try file?.read(into: room, at: offset) ?? 0 } catch { throw UnreadableFile(error) }
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
