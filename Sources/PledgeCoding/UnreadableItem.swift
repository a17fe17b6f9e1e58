/// An item of a list that could not be decoded, or that differs from what the service promises. The other items of the
/// list are not affected.
public struct UnreadableItem: Sendable, Equatable, CustomStringConvertible {
    /// The position of the item in its list, counted from 0. It is `Int.max` if what is wrong has no position, because
    /// it isn't in a list, or because the service announced items but did not send them.
    public let index: Int
    /// What is wrong, and where in the item. The reason never contains the value, which may be private. Only the first
    /// 100 unreadable items of a list have a reason of their own.
    public let reason: String
    /// Whether the item is in its list although something is wrong with it.
    ///
    /// There are three cases:
    /// - A field of the item is nil, because it could not be read. Only the client's `onUnreadable` gets this instance,
    ///   and only for the first 100 fields of a response.
    /// - The response was not all UTF-8, so that U+FFFD, the replacement character, takes the place of some bytes. Only
    ///   the client's `onUnreadable` gets this instance.
    /// - The service sent a date with a time where it promises a day. The list's own unreadable items have this
    ///   instance, too. Of the items with such a date, only the first one in a list is reported.
    ///
    /// It is false for the value of an attribute that could not be read. The day of the value is in the list, but the
    /// value itself is lost.
    public let isKept: Bool
    /// Whether the instance stands for items that the service announced but did not send.
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

    /// Returns an instance that stands for items that the service announced but did not send. They would be at the end
    /// of the list, and have no position of their own.
    package static func missing(_ reason: String) -> UnreadableItem {
        UnreadableItem(index: .max, reason: reason, isKept: false, isMissing: true)
    }

    /// Returns the same item with a changed reason.
    package func mapReason(_ change: (String) -> String) -> UnreadableItem {
        UnreadableItem(index: index, reason: change(reason), isKept: isKept, isMissing: isMissing)
    }

    /// A description such as `item 3: value is missing`, or only the reason if there is no position.
    public var description: String { index == .max ? reason : "item \(index): \(reason)" }
}

extension UnreadableItem {
    /// The maximum number of items with a reason of their own. The limit ensures that a list of bad items takes no
    /// longer to decode than a list of good ones.
    static let mostReasons = 100
    /// The maximum number of unreadable items in a list. A list with more of them cannot be decoded from a tape.
    static let most = 10_000

    /// Returns a text with the location and the problem of an error. The location is relative to the item: the first
    /// `depth` keys of the error's path, which lead to the item, are left out.
    package static func reason(_ error: any Error, below depth: Int) -> String {
        func location(_ context: DecodingError.Context, _ last: (any CodingKey)? = nil) -> String {
            let keys = (context.codingPath + [last].compactMap { $0 }).dropFirst(depth)
            return keys.isEmpty ? "the item" : pathText(keys)
        }
        // Foundation throws an error of a type that is not public if it cannot represent a number.
        guard let error = error as? DecodingError else { return "it has a number that no Swift type can hold" }
        switch error.withWholePath {
        case .keyNotFound(let key, let context): return "\(location(context, key)) is missing"
        case .valueNotFound(_, let context): return "\(location(context)) is null"
        case .typeMismatch(let type, let context): return "\(location(context)) is not \(type)"
        // The text does not include the debug description, which may quote the value.
        case .dataCorrupted(let context): return "\(location(context)) is not of the expected form"
        @unknown default: return "it could not be decoded"
        }
    }
}

/// Returns the text of a path, such as `days[1].steps`.
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

    /// Adds a remark about an item that is kept, unless there is already such a remark. The remark is inserted at the
    /// beginning of the list. There, the next call finds it quickly, even if the list has millions of entries.
    @usableFromInline package mutating func add(_ index: Int, remarking text: StaticString) {
        guard first?.isKept != true else { return }
        insert(UnreadableItem(index: index, reason: text.description, isKept: true), at: 0)
    }

    /// The number of items that are missing from their list, whether they could not be decoded or were not sent.
    package var lost: Int { count { !$0.isKept } }

    /// The number of items that were sent but could not be decoded.
    package var undecoded: Int { count { !$0.isKept && !$0.isMissing } }
}

/// A list that is decoded item by item. An item that cannot be read does not affect the others.
@usableFromInline package struct ItemList<Item: Sendable>: Sendable {
    @usableFromInline package var items: [Item] = []
    @usableFromInline package var unreadable: [UnreadableItem] = []

    /// - Parameter capacity: The number of items that the service announces. At most 10,000 are allocated in advance.
    @usableFromInline package init(capacity: Int) { items.reserveCapacity(Swift.min(capacity, 10_000)) }
}

/// Marks a property that is ignored when values are compared or hashed. For example, the property may say how the
/// service wrote a text. A decoded model then equals a model that was created in code from the same values.
@propertyWrapper
package struct Uncompared<Value: Sendable>: Sendable, Hashable {
    package var wrappedValue: Value

    package init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    package static func == (left: Uncompared, right: Uncompared) -> Bool { true }

    package func hash(into hasher: inout Hasher) {}
}

extension Uncompared: Encodable where Value: Encodable {}
