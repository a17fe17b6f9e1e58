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
            case .whole(let number) where !source.token.isMarked: self = .integer(number)
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

/// Formats numbers for people to read, such as `1,234.5` and `−3`, in the same way on every machine, regardless of its
/// locale.
package enum NumberText {
    /// Returns the number rounded to `decimals` places, with thousands separated by commas.
    package static func grouped(_ value: Double, decimals: Int = 0) -> String {
        guard value.isFinite else { return "–" }
        let scale = power(of: decimals)
        let scaled = (value.magnitude * Double(scale)).rounded()
        // A larger number is not formatted: not far above 1e15, a `Double` can't represent every whole number, and an
        // `Int` overflows.
        guard scaled < 1e15 else { return "\(value)" }
        let (whole, fraction) = Int(scaled).quotientAndRemainder(dividingBy: scale)
        let sign = value < 0 && scaled > 0 ? "−" : ""
        guard decimals > 0 else { return sign + separatingThousands(whole) }
        return "\(sign)\(separatingThousands(whole)).\(digits(fraction, atLeast: decimals))"
    }

    /// Returns a whole number with its thousands separated by commas.
    package static func grouped(_ number: Int) -> String { grouped(Double(number)) }

    /// Returns a number with its noun, such as `1 account` and `1,200 accounts`.
    package static func counted(_ number: Int, _ noun: String) -> String {
        "\(grouped(number)) \(noun)\(number == 1 ? "" : "s")"
    }

    /// Returns a duration in seconds, minutes, or hours, depending on its length, such as `90 s`, `12 min`, and `2 h 5
    /// min`.
    package static func duration(_ seconds: Double) -> String {
        switch seconds {
        case ..<99.5: "\(Int(seconds.rounded())) s"
        case ..<5_970: "\(Int((seconds / 60).rounded())) min"
        default: "\(Int(seconds / 3600)) h \(Int(seconds / 60) % 60) min"
        }
    }

    /// Returns the number rounded to `decimals` places. If the result is a whole number, it has no decimals: `3`, but
    /// `2.4`.
    package static func trimmed(_ value: Double, decimals: Int) -> String {
        let isWhole = rounded(value, decimals: decimals) == value.rounded()
        return grouped(value, decimals: isWhole ? 0 : decimals)
    }

    /// Returns the number rounded to `decimals` places. By comparing rounded numbers, a caller can determine whether a
    /// difference is visible at all.
    package static func rounded(_ value: Double, decimals: Int) -> Double {
        let scale = Double(power(of: decimals))
        return (value * scale).rounded() / scale
    }

    static func power(of decimals: Int) -> Int {
        (0..<max(0, decimals)).reduce(1) { product, _ in product * 10 }
    }

    private static func separatingThousands(_ number: Int) -> String {
        guard number >= 1000 else { return String(number) }
        return separatingThousands(number / 1000) + "," + digits(number % 1000, atLeast: 3)
    }

    /// Returns the digits of a whole number. If the number has fewer than `count` digits, zeros are added in front.
    package static func digits(_ number: Int, atLeast count: Int, radix: Int = 10) -> String {
        let digits = String(number, radix: radix)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
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
