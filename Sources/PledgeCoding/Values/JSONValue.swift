import Foundation

/// Any JSON value, for values of a type that this version does not know.
public enum JSONValue: Hashable, Sendable {
    /// The value `null`, which represents a missing value.
    case null
    /// The value `true` or `false`.
    case bool(Bool)
    /// A whole number that fits in an `Int`.
    case integer(Int)
    /// A number with a fraction, or one that is too large for an `Int`.
    case number(Double)
    /// A number with more digits than a `Double` has, exact up to 38 of them.
    indirect case decimal(Decimal)
    /// A string, without its quotation marks and escapes.
    case string(String)
    /// An array of values of any kind.
    case array([JSONValue])
    /// An object: a collection of values by name.
    case object([String: JSONValue])
}

extension JSONValue: Readable {
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        switch source.kind {
        case .null: self = .null
        case .bool: self = .bool(try source.bool())
        case .number:
            switch try source.number() {
            // Every double below is exact.
            case .whole(let number) where number.magnitude < 1 << 53: self = .integer(number)
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
                // To a dictionary, names that differ only in how an accent is encoded are equal.
                if members[name] == nil { members[name] = try JSONValue(reading: value) }
            }
            self = .object(members)
        }
    }

    private static func exact(_ number: JSONValue, _ shown: String, _ digits: String) -> JSONValue {
        // A double has fifteen digits at least, and encoders write no more of one than its description has.
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
