import PledgeModels

/// What an attribute holds on one day.
public enum AttributeValue: Hashable, Sendable {
    /// A whole number: counts, minutes, ratings, and 1 or 0 for a tag.
    case integer(Int)
    /// A number with decimals. Whole numbers too large for an `Int` come as this, rounded.
    case decimal(Double)
    /// Text.
    case text(String)
    /// A value of a type this version does not know, as it was sent.
    case other(JSONValue)
}

extension AttributeValue {
    /// Reads a value that is not what its type says, and keeps it as it was sent if it is a number or text at all.
    ///
    /// The type decides first, elsewhere: `65` is a decimal where decimals are meant, `4174.0` an integer where integers
    /// are.
    init<Key>(misfit container: KeyedDecodingContainer<Key>, _ key: Key) throws {
        if let number = try? container.decode(Int.self, forKey: key) {
            // Foundation reads `1e-400` as the integer 0; as a Double it says that it cannot.
            if number == 0 { _ = try container.decode(Double.self, forKey: key) }
            self = .integer(number)
        } else if let flag = try? container.decode(Bool.self, forKey: key) {
            self = .integer(flag ? 1 : 0)
        } else if let text = try? container.decode(String.self, forKey: key) {
            self = .text(text)
        } else {
            // Last, so that its error is the one that is told: it names the path.
            self = .decimal(try container.decode(Double.self, forKey: key))
        }
    }
}

extension AttributeValue: Codable {
    /// Reads a number, text, or whatever else it is.
    public init(from decoder: any Decoder) throws {
        switch try JSONValue(from: decoder) {
        case .integer(let value): self = .integer(value)
        case .number(let value): self = .decimal(value)
        case .string(let value): self = .text(value)
        case let value: self = .other(value)
        }
    }

    /// Writes a number, text, or what it was read from.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .integer(let value): try container.encode(value)
        case .decimal(let value): try container.encode(value)
        case .text(let value): try container.encode(value)
        case .other(let value): try container.encode(value)
        }
    }
}

extension AttributeValue {
    /// The same value as its type would have it, where it came without one: `65` is a decimal if decimals are meant.
    func read(as type: ValueType) -> AttributeValue {
        switch (type, self) {
        case (.float, .integer(let value)), (.percentage, .integer(let value)): .decimal(Double(value))
        case (.unknown, _), (.float, _), (.percentage, _), (.string, _): self
        case (_, .decimal(let value)): Int(exactly: value).map { .integer($0) } ?? self
        case (_, .other(.bool(let flag))): .integer(flag ? 1 : 0)
        default: self
        }
    }

    /// The number, if it is a whole one; `4174.0` is.
    public var int: Int? {
        switch self {
        case .integer(let value): value
        case .decimal(let value): Int(exactly: value)
        case .text, .other: nil
        }
    }

    /// The number.
    public var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .decimal(let value): value
        case .text, .other: nil
        }
    }

    /// The text.
    public var string: String? {
        if case .text(let value) = self { value } else { nil }
    }

    /// Yes or no, if it is 1 or 0.
    public var bool: Bool? {
        switch int {
        case 1: true
        case 0: false
        default: nil
        }
    }
}

extension AttributeValue: CustomStringConvertible {
    /// The number or text, as one would write it.
    public var description: String {
        switch self {
        case .integer(let value): "\(value)"
        case .decimal(let value): "\(value)"
        case .text(let value): value
        case .other(let value): "\(value)"
        }
    }
}
