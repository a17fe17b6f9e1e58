/// Header fields in the order they were sent or will be sent; names are looked up without regard to case.
public struct SandboxHeaders: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    /// One line of the headers: a name and a value.
    public struct Field: Hashable, Sendable {
        /// The name, spelled as it was sent.
        public let name: String
        /// The value without the spaces around it.
        public let value: String

        /// Makes one header line.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Every field, repeated ones included.
    public private(set) var fields: [Field]

    /// Makes headers from fields, keeping their order.
    public init(_ fields: [Field] = []) {
        self.fields = fields
    }

    /// Makes headers from a literal such as `["Retry-After": "2"]`.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0.0, value: $0.1) }
    }

    /// The value of the first field of that name; setting it replaces every field of that name.
    public subscript(name: String) -> String? {
        get {
            let wanted = name.lowercased()
            return fields.first { $0.name.lowercased() == wanted }?.value
        }
        set {
            let wanted = name.lowercased()
            fields.removeAll { $0.name.lowercased() == wanted }
            if let newValue { append(name, newValue) }
        }
    }

    /// The values of every field of that name.
    public func values(of name: String) -> [String] {
        let wanted = name.lowercased()
        return fields.filter { $0.name.lowercased() == wanted }.map(\.value)
    }

    /// Adds a field, also when there is one of that name.
    public mutating func append(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// Whether a comma-separated header holds a word, as `Connection: keep-alive, close` holds `close`.
    func lists(_ word: String, in name: String) -> Bool {
        values(of: name)
            .flatMap { $0.lowercased().split(separator: ",") }
            .contains { $0.trimmingBlanks() == word }
    }
}

extension StringProtocol {
    /// The text without spaces and tabs at its ends, the only white space HTTP allows there.
    func trimmingBlanks() -> String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        return String(drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    }
}
