import ExistKit
import Foundation
import PledgeCoding

/// A search for attributes by name or label, ignoring case.
struct AttributeFinder {
    private let attributes: [ExistKit.Attribute]
    private var (byName, byWord): ([ExactText: Int], [ExactText: Int]) = ([:], [:])

    init(_ attributes: [ExistKit.Attribute]) {
        self.attributes = attributes
        for (index, attribute) in attributes.enumerated() {
            // If several attributes have the same name, the first attribute wins.
            byName[ExactText(attribute.name)] = byName[ExactText(attribute.name)] ?? index
            for word in [attribute.name, attribute.label].map(Self.fold) { byWord[word] = byWord[word] ?? index }
        }
    }

    /// Returns the attributes with these names or labels, in the given order. Returns all attributes if no names are
    /// given.
    static func find(_ wanted: [String], in attributes: [ExistKit.Attribute]) throws -> [ExistKit.Attribute] {
        let finder = AttributeFinder(attributes)
        return try wanted.isEmpty ? attributes : wanted.map { try finder.find($0) }
    }

    /// Returns the attribute with this name or label, or throws if there is none.
    ///
    /// - Parameter hasHint: Whether the error suggests the attribute that the user probably meant. Finding that
    ///   attribute is slow.
    func find(_ wanted: String, hasHint: Bool = true) throws -> ExistKit.Attribute {
        if let found = match(wanted) { return found }
        let near = hasHint ? Nearest.hint(to: wanted, among: attributes.flatMap { [$0.name, $0.label] }) : ""
        throw Failure("There is no attribute “\(wanted.excerpt)”.\(near) “pledge attributes” lists them.")
    }

    func match(_ wanted: String) -> ExistKit.Attribute? {
        (byName[ExactText(wanted)] ?? byWord[Self.key(wanted)]).map { attributes[$0] }
    }

    /// Returns a key that is the same for all texts that mean the same attribute, such as its label in capital letters.
    ///
    /// Control characters in an attribute's label don't have to be typed: the label is found without them. But if the
    /// user types a control character, the text must match exactly.
    static func key(_ wanted: String) -> ExactText {
        let isExact = wanted.utf8.count >= longest || wanted.unicodeScalars.contains(where: \.steersDisplay)
        return isExact ? ExactText(wanted) : fold(wanted)
    }

    /// A text of at least this many bytes is compared exactly. Ignoring the case of a text with a million characters
    /// would take seconds.
    private static let longest = 1_000

    static func fold(_ text: String) -> ExactText {
        guard text.utf8.count < longest else { return ExactText(text) }
        return ExactText(text.onOneLine.lowercased().precomposedStringWithCanonicalMapping)
    }
}
