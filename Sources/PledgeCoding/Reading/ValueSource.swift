import Foundation

/// A single value to read, either of a tape or of any other decoder.
@usableFromInline package protocol ValueSource {
    /// A small error for a tape, and any error for another decoder.
    associatedtype Failure: Error
    associatedtype Fields: FieldSource where Fields.Value == Self

    /// The kind of the value, so that readers need not try one type after another.
    var kind: ValueKind { get }
    var isNull: Bool { get }
    /// The number of values in a list, which may be an estimate.
    var count: Int { get }
    func text() throws(Failure) -> String
    /// Reads text that occurs repeatedly: where the source can, it creates the string once and shares it.
    func repeatedText() throws(Failure) -> String
    /// Reads a number without losing whether it is whole.
    func number() throws(Failure) -> WholeOrDecimal
    func int() throws(Failure) -> Int
    /// Reads a number as text: from a tape, exactly as it was sent.
    func digits() throws(Failure) -> String
    func double() throws(Failure) -> Double
    func bool() throws(Failure) -> Bool
    /// Parses text from its bytes; the sentence is for the error if `parse` returns nil.
    func parsed<Result>(_ sentence: StaticString, _ parse: (TextBytes) -> Result?) throws(Failure) -> Result
    /// Returns the members of an object.
    func fields() throws(Failure) -> Fields
    /// Calls the closure with each value of a list and its index.
    func forEach(_ body: (Int, Self) throws(Failure) -> Void) throws(Failure)
    /// Decodes the values of a list independently of one another.
    func items<Item: Decodable & Sendable>(of type: Item.Type) throws(Failure) -> ItemList<Item>
    /// Returns the reason why this item of a list could not be decoded.
    func reason(_ failure: Failure) -> String
    /// Remarks on a value that was read though it is not of the promised form. The list that it is in reports the first.
    func remark(_ words: StaticString)
    /// Returns the remark on what was read since the last call, if any.
    func takeRemark() -> StaticString?
    /// Notes that something could not be read that nothing depends on.
    func note(_ failure: Failure)
}

/// The kind of a value.
@usableFromInline package enum ValueKind {
    case null, bool, number, text, list, object
}

/// A number: an integer if it is whole and fits in an `Int`, and the nearest double otherwise.
@usableFromInline package enum WholeOrDecimal {
    case whole(Int), decimal(Double)
}

/// The members of an object by name. Each is requested once, ideally in the order in which they usually occur.
@usableFromInline package protocol FieldSource {
    associatedtype Value: ValueSource

    /// Returns the value for a name, including null. If the name occurs more than once, the first value counts.
    mutating func value(_ name: StaticString) -> Value?
    /// Returns the value for a name if it is present and not null.
    mutating func present(_ name: StaticString) -> Value?
    /// Returns the error for a missing name.
    func missing(_ name: StaticString) -> Value.Failure
    /// Calls the closure with each member. If a name occurs more than once, only the first counts.
    func forEach(_ body: (String, Value) throws(Value.Failure) -> Void) throws(Value.Failure)
}

extension FieldSource {
    @inline(__always) @inlinable
    package mutating func required(_ name: StaticString) throws(Value.Failure) -> Value {
        guard let value = value(name) else { throw missing(name) }
        return value
    }

    // These return nil if the value is missing or null, and accept text for a number and a number for text.

    @inline(__always) @inlinable
    package mutating func text(_ name: StaticString) throws(Value.Failure) -> String? {
        try present(name)?.lenientText()
    }

    @inline(__always) @inlinable
    package mutating func repeatedText(_ name: StaticString) throws(Value.Failure) -> String? {
        try present(name)?.repeatedLenientText()
    }

    @inline(__always) @inlinable
    package mutating func int(_ name: StaticString) throws(Value.Failure) -> Int? { try present(name)?.lenientInt() }

    @inline(__always) @inlinable
    package mutating func double(_ name: StaticString) throws(Value.Failure) -> Double? {
        try present(name)?.lenientDouble()
    }

    /// Reads what nothing depends on. If it is not of the expected form, it counts as missing, and that is noted.
    @inlinable
    package mutating func optional<Result>(
        _ name: StaticString, _ read: (Value) throws(Value.Failure) -> Result
    ) -> Result? {
        guard let value = present(name) else { return nil }
        do throws(Value.Failure) {
            return try read(value)
        } catch {
            value.note(error)
            return nil
        }
    }

    /// Reads such a Boolean value, which some responses encode as text or as a number; nil for `""`, too.
    @inlinable
    package mutating func flag(_ name: StaticString) -> Bool? {
        let flag = optional(name) { (value) throws(Value.Failure) -> Bool? in
            if case .text = value.kind, try value.text().isEmpty { return nil }
            return try value.lenientBool()
        }
        return flag ?? nil
    }

    @inline(__always) @inlinable
    package mutating func read<Model: Readable>(
        _ type: Model.Type, _ name: StaticString
    ) throws(Value.Failure) -> Model? {
        guard let value = present(name) else { return nil }
        return try Model(reading: value)
    }

    /// Reads a list in which every value must be valid. The result is empty if the list is missing or null.
    @inline(__always) @inlinable
    package mutating func list<Item>(
        _ name: StaticString, _ read: (Value) throws(Value.Failure) -> Item
    ) throws(Value.Failure) -> [Item] {
        guard let list = present(name) else { return [] }
        var items: [Item] = []
        items.reserveCapacity(list.count)
        try list.forEach { (_, item) throws(Value.Failure) in items.append(try read(item)) }
        return items
    }

    /// Reads a list that nothing depends on: what cannot be read in it is left out, and without a list it is empty.
    @inline(__always) @inlinable
    package mutating func lenientList<Item>(
        _ name: StaticString, _ read: (Value) throws(Value.Failure) -> Item
    ) -> [Item] {
        var items: [Item] = []
        try? present(name)?.forEach { (_, item) throws(Value.Failure) in
            if let item = try? read(item) { items.append(item) }
        }
        return items
    }

    /// Reads a list item by item. The result is nil if the list is missing or null.
    @inlinable
    package mutating func items<Item: Decodable & Sendable>(
        of type: Item.Type, _ name: StaticString
    ) throws(Value.Failure) -> ItemList<Item>? { try present(name)?.items(of: type) }
}

/// Boolean values as words.
@usableFromInline package enum Flag {
    @usableFromInline static func value(of text: TextBytes) -> Bool? {
        switch String(decoding: text, as: UTF8.self).lowercased() {
        case "true", "1", "yes": true
        case "false", "0", "no": false
        default: nil
        }
    }
}

/// Decimal numbers as text.
@usableFromInline enum Digits {
    /// Returns nil for what only Swift takes for a number: `0x10`, `inf`, `nan`.
    @usableFromInline static func number(_ text: String) -> Double? {
        guard text.utf8.allSatisfy({ $0 < UInt8(ascii: "A") || $0 | 0x20 == UInt8(ascii: "e") }) else { return nil }
        return Double(text).flatMap { $0.isFinite ? $0 : nil }
    }
}

extension FieldSource {
    /// Reads the lifetime of a token in seconds, which may be text; nil if none is given. What cannot be read is not
    /// “never”, but `otherwise`.
    package mutating func lifetime(_ name: StaticString, otherwise: Double) -> Double? {
        guard let value = present(name) else { return nil }
        return (try? value.lenientDouble()) ?? otherwise
    }
}

extension ValueSource {
    /// Reads a Boolean value, which some responses encode as text or as a number. Any other word or number is an error,
    /// because its meaning would be a guess.
    @inlinable
    package func lenientBool() throws(Failure) -> Bool {
        if case .text = kind { return try parsed("it is neither true nor false") { Flag.value(of: $0) } }
        if case .number = kind, case .whole(let number) = try number(), 0...1 ~= number { return number == 1 }
        return try bool()
    }

    /// Reads text; a number is text with the digits that were sent.
    @inline(__always) @inlinable
    package func lenientText() throws(Failure) -> String {
        if case .number = kind { try digits() } else { try text() }
    }

    /// Reads such text that occurs repeatedly.
    @inline(__always) @inlinable
    package func repeatedLenientText() throws(Failure) -> String {
        if case .number = kind { try digits() } else { try repeatedText() }
    }

    /// Reads a whole number, or its digits as text.
    @inline(__always) @inlinable
    package func lenientInt() throws(Failure) -> Int {
        if case .text = kind, let number = Int(try text()) { return number }
        return try int()
    }

    /// Reads a number, or its digits as text.
    @inline(__always) @inlinable
    package func lenientDouble() throws(Failure) -> Double {
        if case .text = kind, let number = Digits.number(try text()) { return number }
        return try double()
    }

    /// Reads a date and time.
    @inline(__always) @inlinable
    package func timestamp() throws(Failure) -> Date {
        try parsed("it is not a date and time") { Timestamp.parse($0)?.date }
    }
}
