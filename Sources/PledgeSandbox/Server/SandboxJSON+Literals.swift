extension SandboxJSON: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral {
    /// Makes `null` of the literal `nil`.
    public init(nilLiteral: ()) {
        self = .null
    }

    /// Makes `true` or `false`.
    public init(booleanLiteral value: Bool) {
        self = .bool(value)
    }
}

extension SandboxJSON: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
    /// Makes a number without a fraction.
    public init(integerLiteral value: Int) {
        self = .integer(value)
    }

    /// Makes a number with a fraction.
    public init(floatLiteral value: Double) {
        self = .number(value)
    }
}

extension SandboxJSON: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    /// Makes text of a literal.
    public init(stringLiteral value: String) {
        self = .string(value)
    }
}

extension SandboxJSON: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    /// Makes a list of its items.
    public init(arrayLiteral elements: SandboxJSON...) {
        self = .array(elements)
    }

    /// Makes an object; of two members of one name the later counts.
    public init(dictionaryLiteral elements: (String, SandboxJSON)...) {
        self = .object(Dictionary(elements) { _, later in later })
    }
}
