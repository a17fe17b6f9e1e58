import Foundation
import PledgeCoding
import PledgeFiles

/// The body of a request, with its content type.
public struct EndpointBody: Sendable {
    private enum Content: Sendable {
        case json(any Encodable & Sendable)
        case encodedJSON(Data)
        case form(QueryItems)
        case bytes(Data)
        case file(URL)
        case multipart([Part], boundary: String)
    }

    /// The value of the `Content-Type` header.
    public let type: String
    private let content: Content

    /// Returns a body with a value as JSON. It is encoded according to the client's ``EndpointClient/Options/json``.
    public static func json(_ value: some Encodable & Sendable) -> EndpointBody {
        EndpointBody(type: "application/json", content: .json(value))
    }

    /// Returns a body with JSON that is already encoded.
    public static func json(_ encoded: Data) -> EndpointBody {
        EndpointBody(type: "application/json", content: .encodedJSON(encoded))
    }

    /// Returns a body with the fields of a URL-encoded form.
    public static func form(_ items: QueryItems) -> EndpointBody {
        EndpointBody(type: "application/x-www-form-urlencoded", content: .form(items))
    }

    /// Returns a body with arbitrary bytes of a content type, such as `image/png`.
    public static func data(_ bytes: Data, type: String) -> EndpointBody {
        EndpointBody(type: type, content: .bytes(bytes))
    }

    /// Returns a body with the content of a regular file. The file is read while the body is sent, and again for each
    /// retry. So it must not become shorter until the call has ended.
    public static func file(_ file: URL, type: String) -> EndpointBody {
        EndpointBody(type: type, content: .file(file))
    }

    /// Returns a body with a form that may include files, encoded as `multipart/form-data`.
    public static func multipart(_ parts: [Part]) -> EndpointBody {
        // The boundary is random, so that no part can contain it on purpose.
        let boundary = "pledge-\(UUID().uuidString)"
        return EndpointBody(
            type: "multipart/form-data; boundary=\(boundary)", content: .multipart(parts, boundary: boundary))
    }

    /// Returns the bytes and files of the body. A value is encoded according to the client's
    /// ``EndpointClient/Options/json``.
    func encode(_ coding: JSONCoding) throws -> FileBody {
        switch content {
        case .json(let value): return FileBody(try coding.encode(value))
        case .encodedJSON(let bytes), .bytes(let bytes): return FileBody(bytes)
        case .form(let items):
            if let problem = items.problem { throw Unsendable(problem) }
            return FileBody(Data(items.encoded.utf8))
        case .file(let file): return FileBody(pieces: [try FileBody.piece(file)])
        case .multipart(let parts, let boundary): return try Part.content(parts, boundary)
        }
    }

    /// A field or a file of a multipart form.
    public struct Part: Sendable {
        private enum Content {
            case bytes(Data)
            case file(URL)
        }

        private let name: String
        private let filename: String?
        private let type: String?
        private let content: Content

        /// Returns a part with a text field.
        public static func text(_ name: String, _ value: String) -> Part {
            Part(name: name, filename: nil, type: nil, content: .bytes(Data(value.utf8)))
        }

        /// Returns a part with the bytes of a file. The arguments are the name of the field, the file name to send, the
        /// content type, such as `image/png`, and the bytes.
        public static func file(_ name: String, filename: String, type: String, _ bytes: Data) -> Part {
            Part(name: name, filename: filename, type: type, content: .bytes(bytes))
        }

        /// Returns a part with a regular file. The file is read while the body is sent, and again for each retry. So it
        /// must not become shorter until the call has ended. By default, the last component of the URL is sent as the
        /// file name.
        public static func file(_ name: String, at file: URL, filename: String? = nil, type: String) -> Part {
            Part(name: name, filename: filename ?? file.lastPathComponent, type: type, content: .file(file))
        }

        fileprivate static func content(_ parts: [Part], _ boundary: String) throws(UnreadableFile) -> FileBody {
            var pieces = [FileBody.Piece]()
            var bytes = Data()
            for part in parts {
                bytes += part.head(boundary)
                switch part.content {
                case .bytes(let content): bytes += content
                case .file(let file):
                    pieces += [.bytes(bytes), try FileBody.piece(file)]
                    bytes = Data()
                }
                bytes += Data("\r\n".utf8)
            }
            bytes += Data("--\(boundary)--\r\n".utf8)
            return FileBody(pieces: pieces + [.bytes(bytes)])
        }

        private func head(_ boundary: String) -> Data {
            var head = "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(Self.escaping("\"\r\n", in: name))\""
            if let filename { head += "; filename=\"\(Self.escaping("\"\r\n", in: filename))\"" }
            // Only line breaks are escaped here, because they would begin another header. Quotation marks are allowed
            // in a content type.
            if let type { head += "\r\nContent-Type: \(Self.escaping("\r\n", in: type))" }
            return Data("\(head)\r\n\r\n".utf8)
        }

        /// Returns a text as browsers encode it: `dangerous` characters, which would end the text or the line, are
        /// escaped.
        private static func escaping(_ dangerous: String, in text: String) -> String {
            text.unicodeScalars.map {
                dangerous.unicodeScalars.contains($0) ? QueryItems.percentEncoded(UInt8(ascii: $0)) : String($0)
            }.joined()
        }
    }
}

extension EndpointBody: Redacted {
    /// The items of a form, as ``QueryItems`` shows them. For any other body, a short description without the content,
    /// such as the number of bytes.
    public var description: String {
        switch content {
        case .json: "JSON"
        case .encodedJSON(let bytes): "\(bytes.count) bytes of JSON"
        case .form(let items): "\(items)"
        case .bytes(let bytes): "\(bytes.count) bytes"
        case .file: "a file"
        case .multipart(let parts, _): "\(parts.count) parts"
        }
    }
}

extension EndpointBody.Part: Redacted {
    public var description: String {
        if case .bytes(let bytes) = content { "\(name): \(bytes.count) bytes" } else { "\(name): a file" }
    }
}

/// The body of a request as a list of pieces. Each piece is bytes or a file. Files are read while they are sent, so
/// that the body is never in memory as a whole.
struct FileBody: Hashable, Sendable {
    enum Piece: Hashable, Sendable {
        case bytes(Data)
        /// A file with its size. The file must not become shorter before it is sent.
        case file(URL, size: Int)
    }

    let pieces: [Piece]

    init(pieces: [Piece]) { self.pieces = pieces }

    init(_ bytes: Data) { pieces = [.bytes(bytes)] }

    /// The bytes, if the body consists only of bytes.
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

    /// The bytes of all pieces that are not files. They include the fields of a form, which may be secret.
    var fields: Data {
        pieces.reduce(into: Data()) { if case .bytes(let bytes) = $1 { $0 += bytes } }
    }

    /// The file, if the body consists only of a file.
    var file: URL? {
        if pieces.count == 1, case .file(let url, _) = pieces[0] { url } else { nil }
    }

    /// Returns a piece for a file. Throws if the file cannot be read or is not a regular file.
    static func piece(_ url: URL) throws(UnreadableFile) -> Piece {
        let file = try open(url)
        do { return .file(url, size: try file.length()) } catch { throw UnreadableFile(error) }
    }

    fileprivate static func open(_ url: URL) throws(UnreadableFile) -> SystemFile {
        guard url.isFileURL else { throw UnreadableFile("its URL is not a file URL") }
        guard let file = SystemFile(reading: url.path) else { throw UnreadableFile(String(cString: strerror(errno))) }
        guard file.isRegular else { throw UnreadableFile("it is not a regular file") }
        return file
    }

    /// Calls a closure with one chunk of the body after another.
    func forEachChunk(_ body: (Data) throws -> Void) throws {
        let reader = FileBodyReader(self)
        while true {
            var chunk = Data(count: 1 << 16)
            let count = try chunk.withUnsafeMutableBytes { try reader.read(into: $0) }
            guard count > 0 else { return }
            try body(chunk.prefix(count))
        }
    }

    /// Returns all bytes of the body, for a transport that does not stream.
    func data() throws -> Data {
        var data = Data()
        try forEachChunk { data += $0 }
        return data
    }
}

/// The reason why a file of a body is not sent. It does not contain the path, which may be private.
struct UnreadableFile: Error, CustomStringConvertible {
    let description: String

    init(_ problem: String) { description = "a file of the body cannot be read: \(problem)" }

    init(_ error: FileError) { self.init(String(cString: strerror(error.code))) }
}

/// Reads a body from its beginning to its end.
final class FileBodyReader {
    private var pieces: ArraySlice<FileBody.Piece>
    /// The file that is read at present.
    private var file: SystemFile?
    /// The number of bytes that were already read from the first piece.
    private var offset = 0

    init(_ body: FileBody) { pieces = body.pieces[...] }

    /// Reads the next bytes. Returns their number, which is 0 only at the end.
    ///
    /// If a file has become shorter, throws an error, because the service was told the size of the body. If bytes were
    /// added to a file, they are not sent.
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
            pieces = pieces.dropFirst()
            file = nil
            offset = 0
        }
        return 0
    }
}
