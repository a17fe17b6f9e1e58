extension ServerJSON: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    /// Creates a `null` value from `nil`.
    public init(nilLiteral: ()) { self = .null }

    /// Creates a Boolean value from a literal.
    public init(booleanLiteral value: Bool) { self = .bool(value) }

    /// Creates an integer from a literal.
    public init(integerLiteral value: Int) { self = .integer(value) }

    /// Creates a floating-point number from a literal.
    public init(floatLiteral value: Double) { self = .number(value) }

    /// Creates a string from a literal.
    public init(stringLiteral value: String) { self = .string(value) }

    /// Creates an array from a literal.
    public init(arrayLiteral elements: ServerJSON...) { self = .array(elements) }

    /// Creates an object from a literal; the last of several members with the same name wins.
    public init(dictionaryLiteral elements: (String, ServerJSON)...) {
        self = .object(Dictionary(elements) { _, later in later })
    }
}
