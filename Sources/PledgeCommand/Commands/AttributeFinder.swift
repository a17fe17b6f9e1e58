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
            // The first of several counts.
            byName[ExactText(attribute.name)] = byName[ExactText(attribute.name)] ?? index
            for word in [attribute.name, attribute.label].map(Self.fold) { byWord[word] = byWord[word] ?? index }
        }
    }

    /// Returns the attributes with these names or labels, in the given order; all if none are given.
    static func find(_ wanted: [String], in attributes: [ExistKit.Attribute]) throws -> [ExistKit.Attribute] {
        let finder = AttributeFinder(attributes)
        return try wanted.isEmpty ? attributes : wanted.map { try finder.find($0) }
    }

    /// - Parameter hasHint: Whether an error names the attribute that was probably meant, which is slow to find.
    func find(_ wanted: String, hasHint: Bool = true) throws -> ExistKit.Attribute {
        if let found = match(wanted) { return found }
        let near = hasHint ? Nearest.hint(to: wanted, among: attributes.flatMap { [$0.name, $0.label] }) : ""
        throw Failure("There is no attribute “\(wanted.excerpt)”.\(near) “pledge attributes” lists them.")
    }

    func match(_ wanted: String) -> ExistKit.Attribute? {
        (byName[ExactText(wanted)] ?? byWord[Self.key(wanted)]).map { attributes[$0] }
    }

    /// Returns what is equal for all texts that name the same attribute. Control characters, which a label may have, are
    /// not looked for; but a name that has one is not the name without it.
    static func key(_ wanted: String) -> ExactText {
        let isExact = wanted.utf8.count >= longest || wanted.unicodeScalars.contains(where: \.steersDisplay)
        return isExact ? ExactText(wanted) : fold(wanted)
    }

    /// The length from which a text is compared as it is, because folding a text of a million characters takes seconds.
    private static let longest = 1_000

    static func fold(_ text: String) -> ExactText {
        guard text.utf8.count < longest else { return ExactText(text) }
        return ExactText(text.onOneLine.lowercased().precomposedStringWithCanonicalMapping)
    }
}
