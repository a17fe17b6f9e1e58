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

        /// Whether the name is a token as HTTP defines it.
        var hasValidName: Bool {
            !name.isEmpty && name.utf8.allSatisfy { isAlphanumeric($0) || "!#$%&'*+-.^_`|~".utf8.contains($0) }
        }

        /// Whether the header is valid, so that neither its name nor its value can end the line early.
        var isValid: Bool {
            hasValidName && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
        }

        /// Whether the header says where the message ends, for which host the message is, or what happens to its
        /// connection. Only a transport knows that. If a caller sent a wrong length, a server could read one request as
        /// two.
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

    /// The first value of the given name. Setting it replaces all headers with that name; nil removes them.
    public subscript(name: String) -> String? {
        get { fields.first { Self.isSame($0.name, name) }?.value }
        set {
            fields.removeAll { Self.isSame($0.name, name) }
            if let newValue { fields.append(Field(name: name, value: newValue)) }
        }
    }

    /// Whether the message says that it is a web page, such as a firewall sends.
    package var isHTML: Bool { self["Content-Type"]?.lowercased().contains("html") == true }

    /// Compares ASCII names by byte. Converting strings to lowercase would take longer than the rest of a request's
    /// overhead.
    fileprivate static func isSame(_ one: String, _ other: String) -> Bool {
        guard one.utf8.count == other.utf8.count else { return false }
        return zip(one.utf8, other.utf8).allSatisfy { left, right in
            left == right || (left ^ right == 0x20 && 0x61...0x7A ~= left | 0x20)
        }
    }
}

extension HeaderFields.Field: Redacted {
    /// The header as `Name: value` on one line. The value is left out if the name is that of a secret.
    public var description: String {
        let isSecret = SecretName.matches(name) || SecretName.hasValue(in: value)
        return "\(ServiceMessage.printable(name)): \(isSecret ? "…" : ServiceMessage.printable(value))"
    }
}

extension HeaderFields: Redacted {
    /// The headers, without the values of `Authorization`, `Cookie`, and other names of secrets.
    public var description: String { "[\(fields.map(\.description).joined(separator: ", "))]" }
}
