/// Header fields in the order in which they are sent; names are case-insensitive.
public struct ServerHeaders: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    /// A header field: a name and a value.
    public struct Field: Hashable, Sendable {
        /// The name, spelled as it was sent.
        public let name: String
        /// The value without surrounding white space.
        public let value: String

        /// Creates a header field with a name and a value.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// All fields, including repeated ones.
    public private(set) var fields: [Field]

    /// Creates headers from fields, preserving their order.
    public init(_ fields: [Field] = []) {
        self.fields = fields
    }

    /// Creates headers from a literal such as `["Retry-After": "2"]`.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0.0, value: $0.1) }
    }

    /// The value of the first field with the given name; setting it replaces every field with that name.
    public subscript(name: String) -> String? {
        get { values(of: name).first }
        set {
            let wanted = name.lowercased()
            fields.removeAll { $0.name.lowercased() == wanted }
            if let newValue { append(name, newValue) }
        }
    }

    /// Returns the values of all fields with the given name.
    public func values(of name: String) -> [String] {
        let wanted = name.lowercased()
        return fields.filter { $0.name.lowercased() == wanted }.map(\.value)
    }

    /// Adds a field, even if one with that name exists.
    public mutating func append(_ name: String, _ value: String) { fields.append(Field(name: name, value: value)) }

    /// Returns whether a comma-separated field contains a token: `Connection: keep-alive, close` contains `close`.
    func lists(_ word: String, in name: String) -> Bool {
        values(of: name)
            .flatMap { $0.lowercased().split(separator: ",") }
            .contains { $0.trimmingSpaces() == word }
    }
}

extension StringProtocol {
    /// Returns the text without leading and trailing spaces and tabs, the only white space HTTP allows there.
    func trimmingSpaces() -> String {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        return String(drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    }
}
