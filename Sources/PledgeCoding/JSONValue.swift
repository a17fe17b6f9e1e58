import Foundation

/// A JSON value of any kind. It holds values whose type this version of the package does not know.
public enum JSONValue: Hashable, Sendable {
    /// The value `null`, which represents a missing value.
    case null
    /// The value `true` or `false`.
    case bool(Bool)
    /// A whole number that fits in an `Int`.
    case integer(Int)
    /// A number that has a fraction, or is too large for an `Int`.
    case number(Double)
    /// A number that has more digits than a `Double` can represent. Up to 38 digits are exact.
    indirect case decimal(Decimal)
    /// A string, without its quotation marks and escapes.
    case string(String)
    /// An array of values of any kind.
    case array([JSONValue])
    /// An object, which contains values by their names.
    case object([String: JSONValue])
}

extension JSONValue: Readable {
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        switch source.kind {
        case .null: self = .null
        case .bool: self = .bool(try source.bool())
        case .number:
            switch try source.number() {
            // A number without a decimal point or an exponent was parsed as an `Int`, so no digit can be lost.
            case .whole(let number) where !source.token.isDecimal: self = .integer(number)
            case .whole(let number): self = Self.exact(.integer(number), "\(number)", try source.digits())
            case .decimal(let number): self = Self.exact(.number(number), "\(number)", try source.digits())
            }
        case .text: self = .string(try source.text())
        case .list:
            var items: [JSONValue] = []
            items.reserveCapacity(source.count)
            try source.forEach { (_, item) throws(TapeFailure) in items.append(try JSONValue(reading: item)) }
            self = .array(items)
        case .object:
            var members: [String: JSONValue] = [:]
            try source.fields().forEach { (name, value) throws(TapeFailure) in
                // Two names may differ only in how an accent is encoded. The dictionary treats such names as equal, so
                // the first one counts.
                if members[name] == nil { members[name] = try JSONValue(reading: value) }
            }
            self = .object(members)
        }
    }

    private static func exact(_ number: JSONValue, _ shown: String, _ digits: String) -> JSONValue {
        // A `Double` keeps at least fifteen digits, so a shorter number is exact. A longer number is exact if the
        // digits that were sent have the same value as the digits that an encoder would write.
        guard digits.utf8.count > 15, digits != shown, let exact = Decimal(digits: digits), exact.isFinite,
            exact != Decimal(digits: shown)
        else { return number }
        return .decimal(exact)
    }
}

extension JSONValue: Codable {
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .decimal(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

extension JSONEncoder {
    /// Returns an encoder that always encodes equal values as the same bytes.
    package static func repeatable(_ more: OutputFormatting = []) -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = more.union([.sortedKeys, .withoutEscapingSlashes])
        return encoder
    }

    /// Returns a value as JSON text. Equal values have the same text.
    package static func text(_ value: some Encodable) throws -> String {
        String(decoding: try repeatable().encode(value), as: UTF8.self)
    }
}
