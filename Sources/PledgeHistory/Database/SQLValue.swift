import Foundation

/// The value of one column in one row.
public enum SQLValue: Sendable {
    /// No value, which SQL calls `NULL`.
    case null
    /// A signed integer of 64 bits.
    case integer(Int)
    /// A floating-point number of 64 bits.
    case real(Double)
    /// Text in UTF-8, whatever the column's declared type.
    case text(String)
}

extension SQLValue: Hashable {
    /// Returns whether type and value are equal. Text is compared by its bytes, so two encodings of an accent differ.
    public static func == (left: SQLValue, right: SQLValue) -> Bool { left.order(right) == 0 }

    /// Hashes the value, consistently with equality.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .integer(let number): hasher.combine(number)
        case .real(let number): hasher.combine(number)
        case .text(let text): text.withBytes { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        }
    }
}

extension SQLValue {
    /// Compares two values by their order in an index: negative, zero, or positive. 1 and 1.0 are different.
    func order(_ other: SQLValue) -> Int {
        switch (self, other) {
        case (.integer(let one), .integer(let other)): one < other ? -1 : one == other ? 0 : 1
        case (.real(let one), .real(let other)): one < other ? -1 : one == other ? 0 : 1
        case (.text(let one), .text): one.withBytes { Self.order($0, other) }
        default: kind - other.kind
        }
    }

    /// Compares text that is not a string yet with a value.
    static func order(_ one: UnsafeBufferPointer<UInt8>, _ other: SQLValue) -> Int {
        guard case .text(let text) = other else { return SQLValue.text("").kind - other.kind }
        return text.withBytes { other in
            // An empty text may have no address.
            guard let start = one.baseAddress, let otherStart = other.baseAddress,
                case let order = memcmp(start, otherStart, min(one.count, other.count)), order != 0
            else { return one.count - other.count }
            return Int(order)
        }
    }

    private var kind: Int {
        switch self {
        case .null: 0
        case .integer: 1
        case .real: 2
        case .text: 3
        }
    }

    /// Creates an integer, or null for nil.
    init(_ number: Int?) { self = number.map { .integer($0) } ?? .null }

    /// Creates a floating-point number, or null for nil and for NaN, as SQLite does.
    init(_ number: Double?) { self = number.flatMap { $0.isNaN ? nil : .real($0) } ?? .null }

    /// Creates text, or null for nil.
    init(_ text: String?) { self = text.map { .text($0) } ?? .null }

    /// Creates the integer 1 or 0, or null for nil.
    init(_ flag: Bool?) { self = flag.map { .integer($0 ? 1 : 0) } ?? .null }

    /// The integer, or nil for any other type.
    public var integer: Int? { if case .integer(let number) = self { number } else { nil } }

    /// The number, whether integer or floating-point; nil for text and null.
    public var real: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .real(let number): number
        case .null, .text: nil
        }
    }

    /// The text, or nil for any other type.
    public var text: String? { if case .text(let text) = self { text } else { nil } }
}

extension String {
    /// Calls `body` with the bytes in place: `withUTF8` makes them mutable first, a third of the cost of comparing
    /// rows.
    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
        var copy = self
        return copy.withUTF8(body)
    }
}

extension SQLValue: CustomStringConvertible {
    /// The number or text without quotes; empty for null.
    public var description: String {
        switch self {
        case .null: ""
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .text(let text): text
        }
    }
}

extension SQLValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByNilLiteral {
    /// Creates text from a string literal.
    public init(stringLiteral text: String) { self = .text(text) }

    /// Creates an integer from an integer literal.
    public init(integerLiteral number: Int) { self = .integer(number) }

    /// Creates null from the literal nil.
    public init(nilLiteral: ()) { self = .null }
}
