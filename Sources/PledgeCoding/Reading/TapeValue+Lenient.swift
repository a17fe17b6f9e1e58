import Foundation

// These accept text for a number, and a number for text.
extension TapeValue {
    /// Reads a Boolean value, which some responses encode as text or as a number. Any other word or number is an error,
    /// because its meaning would be a guess.
    @usableFromInline package func lenientBool() throws(TapeFailure) -> Bool {
        if case .text = kind {
            return try parsed("it is neither true nor false") { text in
                switch String(decoding: text, as: UTF8.self).lowercased() {
                case "true", "1", "yes": true
                case "false", "0", "no": false
                default: nil
                }
            }
        }
        if case .number = kind, case .whole(let number) = try number(), 0...1 ~= number { return number == 1 }
        return try bool()
    }

    /// Reads text; a number is text with the digits that were sent.
    @inline(__always) @inlinable
    package func lenientText() throws(TapeFailure) -> String {
        if case .number = kind { try digits() } else { try text() }
    }

    /// Reads a whole number, or its digits as text.
    @inline(__always) @inlinable
    package func lenientInt() throws(TapeFailure) -> Int {
        if case .text = kind, let number = Self.integer(try text()) { return number }
        return try int()
    }

    /// Reads a number, or its digits as text.
    @inline(__always) @inlinable
    package func lenientDouble() throws(TapeFailure) -> Double {
        if case .text = kind, let number = Self.number(try text()) { return number }
        return try double()
    }

    // Apart, so that the usual case can be inlined: 3 % of a page of insights.
    @usableFromInline static func integer(_ text: String) -> Int? { Int(text) }

    /// Returns the number that a text is; nil for what only Swift takes for one: `0x10`, `inf`, `nan`.
    @usableFromInline static func number(_ text: String) -> Double? {
        guard text.utf8.allSatisfy({ $0 < UInt8(ascii: "A") || $0 | 0x20 == UInt8(ascii: "e") }) else { return nil }
        return Double(text).flatMap { $0.isFinite ? $0 : nil }
    }

    /// Reads a date and time.
    @inline(__always) @inlinable
    package func timestamp() throws(TapeFailure) -> Date {
        try parsed("it is not a date and time") { Timestamp.parse($0)?.date }
    }
}
