import PledgeCoding

/// The header lines of a message, in order; names compare without regard to case.
public struct HeaderFields: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    /// One line: a name and a value.
    public struct Field: Sendable, Equatable {
        /// The name as written.
        public var name: String
        /// The value, without surrounding spaces.
        public var value: String

        /// Makes a line of a name and a value.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }

        /// HTTP's "token".
        var hasValidName: Bool {
            !name.isEmpty
                && name.utf8.allSatisfy { byte in
                    switch byte {
                    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                        UInt8(ascii: "0")...UInt8(ascii: "9"):
                        true
                    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                    }
                }
        }

        /// Neither name nor value can end the line early.
        var isValid: Bool {
            hasValidName && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
        }
    }

    /// All lines, in order.
    public private(set) var fields: [Field]

    /// Makes header fields of these lines.
    public init(_ fields: [Field] = []) {
        self.fields = fields
    }

    /// Makes header fields of a literal: `["Accept": "application/json"]`.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0.0, value: $0.1) }
    }

    /// The first value of a name. Setting replaces all of that name; nil removes them.
    public subscript(name: String) -> String? {
        get { fields.first { Self.isSame($0.name, name) }?.value }
        set {
            fields.removeAll { Self.isSame($0.name, name) }
            if let newValue { fields.append(Field(name: name, value: newValue)) }
        }
    }

    /// Names are ASCII; comparing them as text, in lower case, would take longer than the rest of a request's upkeep.
    private static func isSame(_ one: String, _ other: String) -> Bool {
        guard one.utf8.count == other.utf8.count else { return false }
        return zip(one.utf8, other.utf8).allSatisfy { left, right in
            left == right || (left ^ right == 0x20 && 0x61...0x7A ~= left | 0x20)
        }
    }
}

extension HeaderFields.Field: Discreet {
    /// `Name: value`, on one line; without the value where the name is one of a secret.
    public var description: String { "\(ServiceMessage.printable(name)): \(shown)" }

    fileprivate var shown: String {
        SecretName.matches(name) ? "…" : ServiceMessage.printable(SecretName.hideValues(in: value))
    }
}

extension HeaderFields: CustomStringConvertible, CustomReflectable {
    /// The lines; values under `Authorization`, `Cookie` and other names of secrets are left out.
    public var description: String { "[\(fields.map(\.description).joined(separator: ", "))]" }

    /// The same for `dump`.
    public var customMirror: Mirror { Mirror(self, children: fields.map { (label: $0.name, value: $0.shown) }) }
}
