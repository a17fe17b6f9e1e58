import Foundation

/// An item the service sent that could not be read: the others of its list are not lost with it.
public struct UnreadableItem: Sendable, Equatable, CustomStringConvertible {
    /// Where it stood in its list, from 0.
    public let index: Int
    /// Where in the item, and what was wrong; never the value, which may be private.
    public let reason: String

    package init(index: Int, _ error: any Error) {
        self.index = index
        // What Foundation throws for a number it cannot hold is none of the public errors.
        reason = (error as? DecodingError)?.clause ?? "it holds a number that no Swift type can"
    }

    /// `item 3: value is missing`
    public var description: String { "item \(index): \(reason)" }
}

extension DecodingError {
    /// Where, relative to the item, and what.
    fileprivate var clause: String {
        func place(_ context: Context, _ last: (any CodingKey)? = nil) -> String {
            // Everything up to and including the item's own index is the list's business.
            let keys = (context.codingPath + [last].compactMap { $0 }).reversed().prefix { $0.intValue == nil }
            return keys.isEmpty ? "the item" : keys.reversed().map(\.stringValue).joined(separator: ".")
        }
        switch self {
        case .keyNotFound(let key, let context): return "\(place(context, key)) is missing"
        case .valueNotFound(_, let context): return "\(place(context)) is null"
        case .typeMismatch(let type, let context): return "\(place(context)) is not \(type)"
        // Not the description, which may quote the value.
        case .dataCorrupted(let context): return "\(place(context)) is not of the expected form"
        @unknown default: return "it could not be decoded"
        }
    }
}
