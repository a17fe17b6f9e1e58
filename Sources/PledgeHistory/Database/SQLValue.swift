import Foundation
import PledgeCoding

/// The value of one column in one row.
public enum SQLValue: Sendable {
    /// No value, which SQL calls `NULL`.
    case null
    /// A signed integer of 64 bits.
    case integer(Int)
    /// A floating-point number of 64 bits.
    case real(Double)
    /// Text in UTF-8, regardless of the column's declared type.
    case text(String)
}

extension SQLValue: Hashable {
    /// Returns whether two values have the same type and are equal. Text is compared byte by byte. So an accented
    /// letter differs from the same letter in another Unicode normalization.
    public static func == (left: SQLValue, right: SQLValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.integer(let one), .integer(let other)): one == other
        case (.real(let one), .real(let other)): one == other
        case (.text(let one), .text(let other)): ExactText(one) == ExactText(other)
        default: false
        }
    }

    /// Hashes the value, consistently with equality.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .integer(let number): hasher.combine(number)
        case .real(let number): hasher.combine(number)
        case .text(let text): hasher.combine(ExactText(text))
        }
    }
}

extension SQLValue {
    /// Creates an integer, or null for nil.
    init(_ number: Int?) { self = number.map { .integer($0) } ?? .null }

    /// Creates a floating-point number. As in SQLite, NaN becomes null, and so does nil.
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
