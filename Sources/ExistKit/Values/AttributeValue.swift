import PledgeCoding

/// What an attribute holds on one day.
public enum AttributeValue: Hashable, Sendable {
    /// A whole number: counts, minutes, ratings, and 1 or 0 for a tag.
    case integer(Int)
    /// A number with decimals. Whole numbers too large for an `Int` come as this, rounded.
    case decimal(Double)
    /// A text, such as a note.
    case text(String)
    /// A value of a type this version does not know, as it was sent.
    case other(JSONValue)
}

extension AttributeValue: Readable {
    /// A number, text, or whatever else it is.
    @usableFromInline package init<Source: ValueSource>(reading source: Source) throws(Source.Failure) {
        switch try JSONValue(reading: source) {
        case .integer(let value): self = .integer(value)
        case .number(let value): self = .decimal(value)
        case .string(let value): self = .text(value)
        case let value: self = .other(value)
        }
    }
}

extension AttributeValue: Codable {
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

    /// The number, whole or not; nil for text.
    public var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .decimal(let value): value
        case .text, .other: nil
        }
    }

    /// The text; nil for a number.
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
