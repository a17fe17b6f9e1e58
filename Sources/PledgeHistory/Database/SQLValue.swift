import Foundation

/// What a column of one row holds.
public enum SQLValue: Sendable {
    /// No value, which SQLite calls NULL.
    case null
    /// A whole number of 64 bits.
    case integer(Int)
    /// A number with decimals.
    case real(Double)
    /// Text in UTF-8, whatever the column.
    case text(String)
}

extension SQLValue: Hashable {
    /// As SQLite compares: text byte for byte, where Swift takes two ways to write an accent for the same.
    public static func == (left: SQLValue, right: SQLValue) -> Bool { left.order(right) == 0 }

    /// In keeping with equality.
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
    /// Which of two comes first in an index, as a number below, of or above zero; 1 and 1.0 are two.
    func order(_ other: SQLValue) -> Int {
        switch (self, other) {
        case (.integer(let one), .integer(let other)): one < other ? -1 : one == other ? 0 : 1
        case (.real(let one), .real(let other)): one < other ? -1 : one == other ? 0 : 1
        case (.text(let one), .text): one.withBytes { Self.order($0, other) }
        default: kind - other.kind
        }
    }

    /// The same of text that is not a string yet.
    static func order(_ one: UnsafeBufferPointer<UInt8>, _ other: SQLValue) -> Int {
        guard case .text(let text) = other else { return SQLValue.text("").kind - other.kind }
        return text.withBytes { other in
            guard let start = one.baseAddress, let otherStart = other.baseAddress else {
                return one.count - other.count
            }
            let order = memcmp(start, otherStart, min(one.count, other.count))
            return order == 0 ? one.count - other.count : Int(order)
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

    /// A whole number, or nothing.
    init(_ number: Int?) { self = number.map { .integer($0) } ?? .null }

    /// A number, or nothing; what is no number is nothing to SQLite, too.
    init(_ number: Double?) { self = number.flatMap { $0.isNaN ? nil : .real($0) } ?? .null }

    /// Text, or nothing.
    init(_ text: String?) { self = text.map { .text($0) } ?? .null }

    /// 1 or 0, or nothing.
    init(_ flag: Bool?) { self = flag.map { .integer($0 ? 1 : 0) } ?? .null }

    /// The whole number, if it is one.
    public var integer: Int? { if case .integer(let number) = self { number } else { nil } }

    /// The number, if it is one, whole or not.
    public var real: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .real(let number): number
        case .null, .text: nil
        }
    }

    /// The text, if it is text.
    public var text: String? { if case .text(let text) = self { text } else { nil } }
}

extension String {
    /// Its bytes where they lie: `withUTF8` would first see to it that they may be changed, a third of what comparing
    /// rows costs.
    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
        var copy = self
        return copy.withUTF8(body)
    }
}

extension SQLValue: CustomStringConvertible {
    /// The number or text as it is; nothing for nothing.
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
    /// The text that the literal spells.
    public init(stringLiteral text: String) { self = .text(text) }

    /// The whole number that the literal spells.
    public init(integerLiteral number: Int) { self = .integer(number) }

    /// No value, for the literal nil.
    public init(nilLiteral: ()) { self = .null }
}
