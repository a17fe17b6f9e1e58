import PledgeCoding

/// The value of an attribute on one day.
public enum AttributeValue: Hashable, Sendable {
    /// A whole number: a count, minutes, a rating, or 1 or 0 for a tag.
    case integer(Int)
    /// A decimal number. Whole numbers too large for an `Int` are also represented this way, rounded.
    case decimal(Double)
    /// A text, such as a note.
    case text(String)
    /// A value of a type this version does not know, unchanged.
    case other(JSONValue)
}

extension AttributeValue: Readable {
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        switch source.kind {
        case .number:
            switch try source.number() {
            case .whole(let value): self = .integer(value)
            case .decimal(let value): self = .decimal(value)
            }
        case .text: self = .text(try source.text())
        case .null, .bool, .list, .object: self = .other(try JSONValue(reading: source))
        }
    }
}

extension AttributeValue: Codable {
    /// Encodes a number, a text, or the value it was decoded from.
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
    /// Returns a value decoded without a type in the form that its type requires: `65` as a decimal, for example.
    package func read(as type: ValueType) -> AttributeValue {
        switch (type, self) {
        case (.float, .integer(let value)), (.percentage, .integer(let value)): .decimal(Double(value))
        case (.unknown, _), (.float, _), (.percentage, _), (.string, _): self
        case (_, .decimal(let value)): Int(exactly: value).map { .integer($0) } ?? self
        case (_, .other(.bool(let flag))): .integer(flag ? 1 : 0)
        default: self
        }
    }

    /// The number, if it is an integer, as `4174.0` is.
    public var int: Int? {
        switch self {
        case .integer(let value): value
        case .decimal(let value): Int(exactly: value)
        case .text, .other: nil
        }
    }

    /// The number, integer or not; nil for text.
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

    /// Returns whether the values are equal; `42.0` is the same as `42`.
    func isSame(as other: AttributeValue) -> Bool { self == other || (double != nil && double == other.double) }

    /// True for 1 and false for 0; otherwise nil.
    public var bool: Bool? {
        switch int {
        case 1: true
        case 0: false
        default: nil
        }
    }
}

extension AttributeValue? {
    /// Returns whether there is a value, and it is this number or text: `item.value == 7`, also for `7.0`.
    public static func == (value: AttributeValue?, other: some StorableValue) -> Bool {
        value?.isSame(as: other.attributeValue) ?? false
    }

    /// Returns whether there is no value, or it is another number or text.
    public static func != (value: AttributeValue?, other: some StorableValue) -> Bool { !(value == other) }
}

extension AttributeValue: CustomStringConvertible {
    /// The number or text in plain form.
    public var description: String {
        switch self {
        case .integer(let value): "\(value)"
        case .decimal(let value): "\(value)"
        case .text(let value): value
        case .other(let value): "\(value)"
        }
    }
}
