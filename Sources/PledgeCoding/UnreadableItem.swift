/// An item that could not be decoded, or is not as the service promises; the other items of its list are unaffected.
public struct UnreadableItem: Sendable, Equatable, CustomStringConvertible {
    /// The position of the item in its list, counted from 0; `Int.max` for items that were announced, but did not come.
    public let index: Int
    /// The location within the item and what was wrong; never the value, which may be private. Only the first 100
    /// unreadable items of a list have an individual reason.
    public let reason: String
    /// Whether the item is in its list nevertheless: a field of it is nil because it could not be read, or a day was
    /// sent as a date with a time, of which only the first in a list is reported.
    public let isKept: Bool
    /// Whether this stands for items that were announced, but did not come.
    package let isMissing: Bool

    package init(index: Int, reason: String, isKept: Bool = false) {
        self.init(index: index, reason: reason, isKept: isKept, isMissing: false)
    }

    private init(index: Int, reason: String, isKept: Bool, isMissing: Bool) {
        self.index = index
        self.reason = reason
        self.isKept = isKept
        self.isMissing = isMissing
    }

    /// Stands for items that were announced, but did not come: at the end of the list, with no position of their own.
    package static func missing(_ reason: String) -> UnreadableItem {
        UnreadableItem(index: .max, reason: reason, isKept: false, isMissing: true)
    }

    /// Returns the item with another reason.
    package func mapReason(_ change: (String) -> String) -> UnreadableItem {
        UnreadableItem(index: index, reason: change(reason), isKept: isKept, isMissing: isMissing)
    }

    /// A description such as `item 3: value is missing`.
    public var description: String { isMissing ? reason : "item \(index): \(reason)" }
}

extension UnreadableItem {
    /// The maximum number of individual reasons: a list of bad items must cost no more to decode than a good one.
    static let mostReasons = 100
    /// The maximum number of unreadable items; a list with more cannot be decoded from a tape.
    static let most = 10_000

    /// Returns the location and the problem of an error, relative to the item, to which `depth` keys lead.
    package static func reason(_ error: any Error, below depth: Int) -> String {
        func location(_ context: DecodingError.Context, _ last: (any CodingKey)? = nil) -> String {
            let keys = (context.codingPath + [last].compactMap { $0 }).dropFirst(depth)
            return keys.isEmpty ? "the item" : pathText(keys)
        }
        // The error that Foundation throws for a number it cannot represent is not a public type.
        guard let error = error as? DecodingError else { return "it has a number that no Swift type can hold" }
        switch error.withWholePath {
        case .keyNotFound(let key, let context): return "\(location(context, key)) is missing"
        case .valueNotFound(_, let context): return "\(location(context)) is null"
        case .typeMismatch(let type, let context): return "\(location(context)) is not \(type)"
        // Not the debug description, which may quote the value.
        case .dataCorrupted(let context): return "\(location(context)) is not of the expected form"
        @unknown default: return "it could not be decoded"
        }
    }
}

/// Returns a path such as `days[1].steps`.
package func pathText(_ keys: some Sequence<any CodingKey>) -> String {
    keys.reduce(into: "") { path, key in
        path += key.intValue.map { "[\($0)]" } ?? (path.isEmpty ? key.stringValue : ".\(key.stringValue)")
    }
}

extension [UnreadableItem] {
    @usableFromInline package mutating func add(_ index: Int, _ reason: () -> String) {
        let isTold = count < UnreadableItem.mostReasons
        append(
            UnreadableItem(
                index: index,
                reason: isTold
                    ? reason()
                    : "it is one of more than \(UnreadableItem.mostReasons) such items"))
    }

    /// Adds the first remark on an item that is kept, in front, where it is found among millions of others.
    @usableFromInline package mutating func add(_ index: Int, remarking text: StaticString) {
        guard first?.isKept != true else { return }
        insert(UnreadableItem(index: index, reason: text.description, isKept: true), at: 0)
    }

    /// The number of items that are missing from their list.
    package var lost: Int { count { !$0.isKept } }

    /// The number of items that were sent, but are missing from their list.
    package var undecoded: Int { count { !$0.isKept && !$0.isMissing } }
}

/// A list that is decoded item by item: an item that cannot be read does not affect the others.
@usableFromInline package struct ItemList<Item: Sendable>: Sendable {
    @usableFromInline package var items: [Item] = []
    @usableFromInline package var unreadable: [UnreadableItem] = []

    /// - Parameter capacity: The number of items according to the service.
    @usableFromInline package init(capacity: Int) { items.reserveCapacity(Swift.min(capacity, 10_000)) }
}

extension ItemList: Decodable where Item: Decodable {}

extension ItemList: Readable where Item: Decodable {
    @usableFromInline package init(reading source: TapeValue) throws(TapeFailure) {
        self = try source.items(of: Item.self)
    }
}

/// A part of a value that is ignored when comparing and hashing, such as how something was written, so that a decoded
/// model equals one created with the same values in code.
@propertyWrapper
package struct Uncompared<Value: Sendable>: Sendable, Hashable {
    package var wrappedValue: Value

    package init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    package static func == (left: Uncompared, right: Uncompared) -> Bool { true }

    package func hash(into hasher: inout Hasher) {}
}

extension Uncompared: Encodable where Value: Encodable {}
