import ExistKit
import PledgeCoding

/// Attributes by what people call them: by name or by label, in whatever case.
enum AttributeFinder {
    /// Those that are meant, in the order they are named; all of them without a name.
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

    static func fold(_ text: String) -> ExactText { ExactText(text.onOneLine.lowercased()) }
}
