import Foundation

/// A JSON value, which can be written as a Swift literal: `["detail": "Not found."]`.
public enum ServerJSON: Hashable, Sendable {
    /// The value `null`: no value.
    case null
    /// The value `true` or `false`.
    case bool(Bool)
    /// A number without a fractional part.
    case integer(Int)
    /// A number with a fractional part, or one too large for `Int`.
    case number(Double)
    /// A string, without its quotation marks and escapes.
    case string(String)
    /// An array of values of any kind.
    case array([ServerJSON])
    /// An object; its members are encoded in the order of their names.
    case object([String: ServerJSON])
}

extension ServerJSON {
    /// Parses JSON text; `nil` when it is malformed.
    public init?(_ text: Data) {
        // Parses the text twice, because Swift 6.0's JSONDecoder ends the process at a member's name that is not valid
        // text.
        guard (try? JSONSerialization.jsonObject(with: text, options: .fragmentsAllowed)) != nil,
            let value = try? JSONDecoder().decode(ServerJSON.self, from: text)
        else { return nil }
        self = value
    }

    /// Returns the value encoded as JSON.
    public func encoded() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }

    /// The value of a string; otherwise `nil`.
    public var string: String? { if case .string(let text) = self { text } else { nil } }

    /// The value of an integer; otherwise `nil`.
    public var integer: Int? { if case .integer(let number) = self { number } else { nil } }

    /// The value of an integer or a number with a fractional part; otherwise `nil`.
    public var double: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }

    /// The value of a `bool`; otherwise `nil`.
    public var bool: Bool? { if case .bool(let truth) = self { truth } else { nil } }

    /// The elements of an array; otherwise `nil`.
    public var array: [ServerJSON]? { if case .array(let elements) = self { elements } else { nil } }

    /// The members of an object; otherwise `nil`.
    public var object: [String: ServerJSON]? { if case .object(let members) = self { members } else { nil } }
}

extension ServerJSON: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let truth = try? container.decode(Bool.self) {
            self = .bool(truth)
        } else if let number = try? container.decode(Int.self) {
            self = .integer(number)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let text = try? container.decode(String.self) {
            self = .string(text)
        } else if let elements = try? container.decode([ServerJSON].self) {
            self = .array(elements)
        } else {
            self = .object(try container.decode([String: ServerJSON].self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let truth): try container.encode(truth)
        case .integer(let number): try container.encode(number)
        case .number(let number): try container.encode(number)
        case .string(let text): try container.encode(text)
        case .array(let elements): try container.encode(elements)
        case .object(let members): try container.encode(members)
        }
    }
}

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
