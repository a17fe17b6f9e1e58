import Foundation

struct UnreadableItem: Sendable, Equatable, CustomStringConvertible {
    let index: Int
    let reason: String

    init(index: Int, _ error: any Error) {
        self.index = index
        // What Foundation throws for a number it cannot hold is none of the errors.
        reason = (error as? DecodingError)?.clause ?? "it holds a number that no Swift type can"
    }
    var description: String { "item \(index): \(reason)" }
}

extension DecodingError {
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
