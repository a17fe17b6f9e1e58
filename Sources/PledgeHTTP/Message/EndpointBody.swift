import Foundation
import PledgeCoding

/// What is sent along with a request.
public struct EndpointBody: Sendable {
    /// The value of `Content-Type`.
    public let type: String
    /// The bytes; `coding` writes what is not encoded yet.
    let encode: @Sendable (_ coding: JSONCoding) throws -> Data
    private let shown: String

    /// A value as JSON, written as the client's ``EndpointClient/Options/json`` says.
    public static func json(_ value: some Encodable & Sendable) -> EndpointBody {
        EndpointBody(type: "application/json", encode: { try $0.encode(value) }, shown: "JSON")
    }

    /// JSON that is already encoded.
    public static func json(_ encoded: Data) -> EndpointBody {
        EndpointBody(type: "application/json", encode: { _ in encoded }, shown: "\(encoded.count) bytes of JSON")
    }

    /// The fields of a form.
    public static func form(_ items: QueryItems) -> EndpointBody {
        EndpointBody(
            type: "application/x-www-form-urlencoded", encode: { _ in Data(items.encoded.utf8) }, shown: "\(items)")
    }

    /// Bytes as they are.
    ///
    /// - Parameters:
    ///   - bytes: what is sent.
    ///   - type: what they are, such as `image/png`.
    public static func data(_ bytes: Data, type: String) -> EndpointBody {
        EndpointBody(type: type, encode: { _ in bytes }, shown: "\(bytes.count) bytes")
    }

    /// A form with files, as a browser sends one: `multipart/form-data`.
    public static func multipart(_ parts: [Part]) -> EndpointBody {
        let boundary = Part.boundary(between: parts)
        return EndpointBody(
            type: "multipart/form-data; boundary=\(boundary)",
            encode: { _ in parts.reduce(into: Data()) { $1.write(to: &$0, boundary) } + Data("--\(boundary)--\r\n".utf8)
            },
            shown: "\(parts.count) parts")
    }

    /// A field of a form with files.
    public struct Part: Sendable {
        private let name: String
        private let filename: String?
        private let type: String?
        private let bytes: Data

        /// A field of text.
        public static func text(_ name: String, _ value: String) -> Part {
            Part(name: name, filename: nil, type: nil, bytes: Data(value.utf8))
        }

        /// A file, as a browser sends it.
        ///
        /// - Parameters:
        ///   - name: of the field.
        ///   - filename: what the service is told the file is called.
        ///   - type: what it is, such as `image/png`.
        ///   - bytes: what is in it.
        public static func file(_ name: String, filename: String, type: String, _ bytes: Data) -> Part {
            Part(name: name, filename: filename, type: type, bytes: bytes)
        }

        /// A line that none of the parts holds, and the same for the same parts, so that a repeated request is the same.
        fileprivate static func boundary(between parts: [Part]) -> String {
            var hasher = Hasher()
            for part in parts { part.bytes.withUnsafeBytes { hasher.combine(bytes: $0) } }
            var number = UInt(bitPattern: hasher.finalize())
            while true {
                let boundary = "pledge-\(String(number, radix: 36))"
                guard parts.contains(where: { $0.bytes.range(of: Data(boundary.utf8)) != nil }) else { return boundary }
                number &+= 1
            }
        }

        fileprivate func write(to body: inout Data, _ boundary: String) {
            var head = "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(Self.escaping("\"\r\n", in: name))\""
            if let filename { head += "; filename=\"\(Self.escaping("\"\r\n", in: filename))\"" }
            // A line break would begin a header of its own; quotation marks are part of a type.
            if let type { head += "\r\nContent-Type: \(Self.escaping("\r\n", in: type))" }
            body += Data("\(head)\r\n\r\n".utf8) + bytes + Data("\r\n".utf8)
        }

        /// As browsers write it: with what would end the text or the line escaped.
        private static func escaping(_ dangerous: String, in text: String) -> String {
            text.unicodeScalars.map {
                dangerous.unicodeScalars.contains($0) ? String(format: "%%%02X", $0.value) : String($0)
            }.joined()
        }
    }
}

extension EndpointBody: Discreet {
    /// Of a form what ``QueryItems`` shows; of anything else at most its size.
    public var description: String { shown }
}

extension EndpointBody.Part: Discreet {
    public var description: String { "\(name): \(bytes.count) bytes" }
}
