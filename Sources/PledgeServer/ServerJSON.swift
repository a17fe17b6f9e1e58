import Foundation

/// A JSON value. You can write it as a Swift literal, such as `["detail": "Not found."]`.
public enum ServerJSON: Hashable, Sendable {
    /// The JSON value `null`.
    case null
    /// The value `true` or `false`.
    case bool(Bool)
    /// A number without a fractional part.
    case integer(Int)
    /// A number with a fractional part, or a number that is too large for `Int`.
    case number(Double)
    /// A string. The text has neither the quotation marks nor the escapes of JSON.
    case string(String)
    /// An array. Its elements may be JSON values of different kinds.
    case array([ServerJSON])
    /// An object. Its members are encoded in the order of their names.
    case object([String: ServerJSON])
}

extension ServerJSON {
    /// Parses JSON text. Returns nil if the text is not valid JSON.
    public init?(_ text: Data) {
        // Parses the text twice. The JSONDecoder of Swift 6.0 ends the process if the name of a member isn't valid
        // text, so JSONSerialization checks the text first.
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

    /// The text, if the value is a string; nil otherwise.
    public var string: String? { if case .string(let text) = self { text } else { nil } }

    /// The number, if the value is an integer; nil otherwise.
    public var integer: Int? { if case .integer(let number) = self { number } else { nil } }

    /// The number, if the value is a number with or without a fractional part; nil otherwise.
    public var double: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }

    /// The Boolean, if the value is `true` or `false`; nil otherwise.
    public var bool: Bool? { if case .bool(let truth) = self { truth } else { nil } }

    /// The elements, if the value is an array; nil otherwise.
    public var array: [ServerJSON]? { if case .array(let elements) = self { elements } else { nil } }

    /// The members by their names, if the value is an object; nil otherwise.
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

    /// Creates an object from a literal. If several members have the same name, the last one wins.
    public init(dictionaryLiteral elements: (String, ServerJSON)...) {
        self = .object(Dictionary(elements) { _, later in later })
    }
}
