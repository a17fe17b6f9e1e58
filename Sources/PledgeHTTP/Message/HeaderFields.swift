import Foundation
import PledgeCoding

/// The headers of a message, in order. Names are compared case-insensitively.
public struct HeaderFields: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    /// A single header: a name and a value.
    public struct Field: Sendable, Equatable {
        /// The name of the header, as written.
        public var name: String
        /// The value, without surrounding white space.
        public var value: String

        /// Creates a header from a name and a value.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }

        /// Whether the name has only characters that HTTP permits in the name of a header.
        var hasValidName: Bool {
            !name.isEmpty && name.utf8.allSatisfy { isAlphanumeric($0) || "!#$%&'*+-.^_`|~".utf8.contains($0) }
        }

        /// Whether the header is valid. Neither the name nor the value of a valid header can end the line early.
        var isValid: Bool {
            hasValidName && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
        }

        /// Whether only a transport may set the header. Such a header says where the message ends, for which host it
        /// is, or what happens to the connection.
        ///
        /// Only the transport knows that. If a caller set a wrong length, a server could read one request as two.
        var belongsToTransport: Bool {
            Self.transportNames.contains { HeaderFields.isSame($0, name) }
                || HeaderFields.isSame(String(name.prefix(6)), "proxy-")
        }

        private static let transportNames = [
            "content-length", "transfer-encoding", "host", "connection", "expect", "te", "trailer", "upgrade",
            "keep-alive",
        ]
    }

    /// All headers, in the order they were added.
    public private(set) var fields: [Field]

    /// Creates headers from an array of fields.
    public init(_ fields: [Field] = []) {
        self.fields = fields
    }

    /// Creates headers from a dictionary literal: `["Accept": "application/json"]`.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0.0, value: $0.1) }
    }

    /// The value of the first header with the given name; nil if there is no such header. Setting a value replaces all
    /// headers with that name. Setting nil removes them.
    public subscript(name: String) -> String? {
        get { fields.first { Self.isSame($0.name, name) }?.value }
        set {
            fields.removeAll { Self.isSame($0.name, name) }
            if let newValue { fields.append(Field(name: name, value: newValue)) }
        }
    }

    /// Whether the content type says that the message is a web page. Firewalls, for example, send such responses.
    package var isHTML: Bool { self["Content-Type"]?.lowercased().contains("html") == true }

    /// Compares two names byte by byte and ignores the case of ASCII letters. Converting both to lowercase would take
    /// longer than everything else that is done for a request.
    fileprivate static func isSame(_ one: String, _ other: String) -> Bool {
        guard one.utf8.count == other.utf8.count else { return false }
        for (left, right) in zip(one.utf8, other.utf8) where left != right {
            let isLetter = UInt8(ascii: "a")...UInt8(ascii: "z") ~= left | 0x20
            guard isLetter, left ^ right == 0x20 else { return false }
        }
        return true
    }
}

extension HeaderFields.Field: Redacted {
    /// The header as `Name: value` on one line. The value is left out if the name is that of a secret, or if the value
    /// contains a secret.
    public var description: String {
        let isSecret = SecretName.matches(name) || SecretName.hasValue(in: value)
        return "\(ServiceMessage.printable(name)): \(isSecret ? "…" : ServiceMessage.printable(value))"
    }
}

extension HeaderFields: Redacted {
    /// The headers, without the values of `Authorization`, `Cookie`, and other names of secrets.
    public var description: String { "[\(fields.map(\.description).joined(separator: ", "))]" }
}
