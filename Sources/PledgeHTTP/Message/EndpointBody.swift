import Foundation
import PledgeCoding

/// The body of a request, with its content type.
public struct EndpointBody: Sendable {
    /// The value of the `Content-Type` header.
    public let type: String
    /// Returns what is sent; a value is encoded in the client's way.
    let encode: @Sendable (JSONCoding) throws -> FileBody
    private let shown: String

    /// Returns a body with a value as JSON, encoded according to the client's ``EndpointClient/Options/json``.
    public static func json(_ value: some Encodable & Sendable) -> EndpointBody {
        EndpointBody(type: "application/json", encode: { FileBody(try $0.encode(value)) }, shown: "JSON")
    }

    /// Returns a body with JSON that is already encoded.
    public static func json(_ encoded: Data) -> EndpointBody {
        EndpointBody(
            type: "application/json", encode: { _ in FileBody(encoded) }, shown: "\(encoded.count) bytes of JSON")
    }

    /// Returns a body with the fields of a URL-encoded form.
    public static func form(_ items: QueryItems) -> EndpointBody {
        EndpointBody(
            type: "application/x-www-form-urlencoded",
            encode: { _ in
                if let problem = items.problem { throw Unsendable(problem) }
                return FileBody(Data(items.encoded.utf8))
            }, shown: "\(items)")
    }

    /// Returns a body with arbitrary bytes of a content type, such as `image/png`.
    public static func data(_ bytes: Data, type: String) -> EndpointBody {
        EndpointBody(type: type, encode: { _ in FileBody(bytes) }, shown: "\(bytes.count) bytes")
    }

    /// Returns a body with the content of a regular file, which is read while it is sent, and again for a retry: it
    /// must not become shorter until then.
    public static func file(_ file: URL, type: String) -> EndpointBody {
        EndpointBody(type: type, encode: { _ in FileBody(pieces: [try FileBody.piece(file)]) }, shown: "a file")
    }

    /// Returns a body with a form that may include files, encoded as `multipart/form-data`.
    public static func multipart(_ parts: [Part]) -> EndpointBody {
        // Random, so that no part can contain it on purpose.
        let boundary = "pledge-\(UUID().uuidString)"
        return EndpointBody(
            type: "multipart/form-data; boundary=\(boundary)", encode: { _ in try Part.content(parts, boundary) },
            shown: "\(parts.count) parts")
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

        /// Returns a part with a file: the field's name, the file name to send, and the type, such as `image/png`.
        public static func file(_ name: String, filename: String, type: String, _ bytes: Data) -> Part {
            Part(name: name, filename: filename, type: type, content: .bytes(bytes))
        }

        /// Returns a part with a regular file that is read while it is sent, and again for a retry: it must not become
        /// shorter until then. The file name to send is by default that of the file.
        public static func file(_ name: String, at file: URL, filename: String? = nil, type: String) -> Part {
            Part(name: name, filename: filename ?? file.lastPathComponent, type: type, content: .file(file))
        }

        fileprivate static func content(_ parts: [Part], _ boundary: String) throws(UnreadableFile) -> FileBody {
            var (pieces, bytes) = ([FileBody.Piece](), Data())
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
            // A line break would start another header; quotation marks are allowed in a content type.
            if let type { head += "\r\nContent-Type: \(Self.escaping("\r\n", in: type))" }
            return Data("\(head)\r\n\r\n".utf8)
        }

        /// Returns a text as browsers encode it, with the characters escaped that would end the text or the line.
        private static func escaping(_ dangerous: String, in text: String) -> String {
            text.unicodeScalars.map {
                dangerous.unicodeScalars.contains($0) ? QueryItems.percentEncoded(UInt8(ascii: $0)) : String($0)
            }.joined()
        }
    }
}

extension EndpointBody: Redacted {
    /// The items of a form, as ``QueryItems`` shows them; of any other body, at most its size.
    public var description: String { shown }
}

extension EndpointBody.Part: Redacted {
    public var description: String {
        if case .bytes(let bytes) = content { "\(name): \(bytes.count) bytes" } else { "\(name): a file" }
    }
}
