import ExistKit
import Foundation
import PledgeCoding

/// A search for attributes by name or label, ignoring case.
enum AttributeFinder {
    /// Returns the attributes with these names or labels, in the given order; all if none are given.
    static func find(_ wanted: [String], in attributes: [ExistKit.Attribute]) throws -> [ExistKit.Attribute] {
        try wanted.isEmpty ? attributes : wanted.map { try find($0, in: attributes) }
    }

    static func find(_ wanted: String, in attributes: [ExistKit.Attribute]) throws -> ExistKit.Attribute {
        if let found = match(wanted, in: attributes) { return found }
        let near = Nearest.hint(to: wanted, among: attributes.flatMap { [$0.name, $0.label] })
        throw Failure("There is no attribute “\(wanted)”.\(near) “pledge attributes” lists them.")
    }

    static func match(_ wanted: String, in attributes: [ExistKit.Attribute]) -> ExistKit.Attribute? {
        attributes.first { ExactText($0.name) == ExactText(wanted) }
            ?? attributes.first { fold($0.name) == fold(wanted) || fold($0.label) == fold(wanted) }
    }

    static func fold(_ text: String) -> ExactText {
        ExactText(text.onOneLine.lowercased().precomposedStringWithCanonicalMapping)
    }
}
