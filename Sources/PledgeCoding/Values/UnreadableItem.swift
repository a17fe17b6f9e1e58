/// An item the service sent that could not be read: the others of its list are not lost with it.
public struct UnreadableItem: Sendable, Equatable, CustomStringConvertible {
    /// Where it stood in its list, from 0.
    public let index: Int
    /// Where in the item, and what was wrong; never the value, which may be private. Only the first 100 of a list have
    /// one of their own.
    public let reason: String

    package init(index: Int, reason: String) {
        self.index = index
        self.reason = reason
    }

    /// `item 3: value is missing`
    public var description: String { "item \(index): \(reason)" }
}

extension UnreadableItem {
    /// More are not told: who gets a list of nothing else should not pay more for it than for a good one.
    static let mostReasons = 100
    /// A list with more of them cannot be read.
    static let most = 10_000

    /// What an error says of an item: where, relative to the item, and what.
    package static func reason(_ error: any Error) -> String {
        // What Foundation throws for a number it cannot hold is none of the public errors.
        guard let error = error as? DecodingError else { return "it holds a number that no Swift type can" }
        switch error.withWholePath {
        case .keyNotFound(let key, let context): return "\(place(context, key)) is missing"
        case .valueNotFound(_, let context): return "\(place(context)) is null"
        case .typeMismatch(let type, let context): return "\(place(context)) is not \(type)"
        // Not the description, which may quote the value.
        case .dataCorrupted(let context): return "\(place(context)) is not of the expected form"
        @unknown default: return "it could not be decoded"
        }
    }

    private static func place(_ context: DecodingError.Context, _ last: (any CodingKey)? = nil) -> String {
        // Everything up to and including the item's own index is the list's business.
        let keys = (context.codingPath + [last].compactMap { $0 }).reversed().prefix { $0.intValue == nil }
        return keys.isEmpty ? "the item" : keys.reversed().map(\.stringValue).joined(separator: ".")
    }
}

extension [UnreadableItem] {
    @usableFromInline package mutating func add(_ index: Int, _ reason: () -> String) {
        let isTold = count < UnreadableItem.mostReasons
        append(
            UnreadableItem(
                index: index, reason: isTold ? reason() : "it is one of more than \(UnreadableItem.mostReasons)"))
    }
}
