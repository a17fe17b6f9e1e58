import Foundation

/// One value of whatever is read: of a tape, or of somebody's decoder.
@usableFromInline package protocol ValueSource {
    /// Small for a tape, and any error for somebody's decoder.
    associatedtype Failure: Error
    associatedtype Fields: FieldSource where Fields.Value == Self

    /// What it is, which readers look at rather than try one type after another.
    var kind: ValueKind { get }
    var isNull: Bool { get }
    /// How many values a list has, or is thought to have.
    var count: Int { get }
    func text() throws(Failure) -> String
    /// Text that comes again and again: made once, and shared, where the source can.
    func repeatedText() throws(Failure) -> String
    /// A number as it is.
    func number() throws(Failure) -> WholeOrDecimal
    func int() throws(Failure) -> Int
    func double() throws(Failure) -> Double
    func bool() throws(Failure) -> Bool
    /// What text says, read from its bytes; the sentence is for the error, if it says no such thing.
    func parsed<Result>(_ sentence: StaticString, _ parse: (TextBytes) -> Result?) throws(Failure) -> Result
    /// The members of an object.
    func fields() throws(Failure) -> Fields
    /// The values of a list, with their places.
    func forEach(_ body: (Int, Self) throws(Failure) -> Void) throws(Failure)
    /// The values of a list, each for itself.
    func items<Item: Decodable & Sendable>(of type: Item.Type) throws(Failure) -> ItemList<Item>
    /// Why this value, at that place of a list, could not be read.
    func reason(_ failure: Failure) -> String
}

/// What a value is.
@usableFromInline package enum ValueKind {
    case null, bool, number, text, list, object
}

/// A number: whole ones that fit an `Int` as one, all others as the nearest double.
@usableFromInline package enum WholeOrDecimal {
    case whole(Int), decimal(Double)
}

/// The members of an object by name, each of which is asked for once; best in the order in which they mostly come.
@usableFromInline package protocol FieldSource {
    associatedtype Value: ValueSource

    /// The value under a name, null included; the first, if there are several.
    mutating func value(_ name: StaticString) -> Value?
    /// The value under a name, if it is there and not null.
    mutating func present(_ name: StaticString) -> Value?
    /// The error for a name that is not there.
    func missing(_ name: StaticString) -> Value.Failure
    /// All members, of several of one name the first.
    func forEach(_ body: (String, Value) throws(Value.Failure) -> Void) throws(Value.Failure)
}

extension FieldSource {
    @inline(__always) @inlinable
    package mutating func required(_ name: StaticString) throws(Value.Failure) -> Value {
        guard let value = value(name) else { throw missing(name) }
        return value
    }

    // Nil where it is missing or null.

    @inline(__always) @inlinable
    package mutating func text(_ name: StaticString) throws(Value.Failure) -> String? { try present(name)?.text() }

    @inline(__always) @inlinable
    package mutating func repeatedText(_ name: StaticString) throws(Value.Failure) -> String? {
        try present(name)?.repeatedText()
    }

    @inline(__always) @inlinable
    package mutating func int(_ name: StaticString) throws(Value.Failure) -> Int? { try present(name)?.int() }

    @inline(__always) @inlinable
    package mutating func double(_ name: StaticString) throws(Value.Failure) -> Double? { try present(name)?.double() }

    /// A flag, which some replies write as text or as a number.
    @inlinable
    package mutating func flag(_ name: StaticString) throws(Value.Failure) -> Bool? { try present(name)?.lenientBool() }

    @inline(__always) @inlinable
    package mutating func read<Model: Readable>(
        _ type: Model.Type, _ name: StaticString
    ) throws(Value.Failure) -> Model? {
        guard let value = present(name) else { return nil }
        return try Model(reading: value)
    }

    /// A list all of whose values have to be read; empty where there is none.
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

    /// A list that is read item by item; nil where there is none.
    @inlinable
    package mutating func items<Item: Decodable & Sendable>(
        of type: Item.Type, _ name: StaticString
    ) throws(Value.Failure) -> ItemList<Item>? { try present(name)?.items(of: type) }
}

extension ValueSource {
    /// A flag, which some replies write as text or as a number.
    @inlinable
    package func lenientBool() throws(Failure) -> Bool {
        switch kind {
        case .bool: return try bool()
        case .number: if case .whole(let number) = try number() { return number != 0 }
        case .null, .text, .list, .object: break
        }
        return ["true", "1", "yes"].contains(try text().lowercased())
    }

    /// A date and time.
    @inline(__always) @inlinable
    package func timestamp() throws(Failure) -> Date {
        try parsed("it is not a date and time") { Timestamp.parse($0)?.date }
    }
}
