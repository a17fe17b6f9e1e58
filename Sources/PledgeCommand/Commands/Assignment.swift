import ExistKit
import Foundation

/// An attribute's name or label and its new value, such as `mood=7` or `tag: coffee`.
struct Assignment {
    var name: String
    var value: String
    var isTag = false
    /// Whether the value is added to the stored one; it may be negative.
    let adds: Bool
    private var origin = ValueForm.Origin.typed

    init(_ text: String, adds: Bool = false) throws {
        self.adds = adds
        if !adds, text.lowercased().hasPrefix("tag:") {
            name = text.dropFirst(4).trimmingCharacters(in: .whitespaces)
            (value, isTag) = ("yes", true)
            if let end = name.firstIndex(of: "=") {
                let tag = name[..<end]
                throw UsageError("“\(text)”: a tag is set by its name alone, and cleared as “\(tag)=no”.")
            }
        } else {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2 else {
                let way = adds ? "\(text)=1" : "\(text)=7, or a tag as “tag: \(text)”"
                throw UsageError("“\(text)” has no value: write \(way).")
            }
            name = parts[0].trimmingCharacters(in: .whitespaces)
            value = parts[1].trimmingCharacters(in: .whitespaces)
        }
        guard !name.isEmpty else { throw UsageError("“\(text)” names no attribute.") }
        guard !value.isEmpty else {
            throw UsageError("“\(text)” has no value. Exist can replace a value, but not clear it.")
        }
    }

    /// Creates an assignment from a line of a file, in the form in which an output has printed it.
    ///
    /// - Parameter unit: The name of the unit; empty if the line has none.
    init(name: String, printed value: String, unit: String = "") {
        (self.name, self.value, adds, origin) = (name, value, false, .line(unit: unit))
    }

    /// Returns the value as the service stores it.
    func stored(_ attribute: ExistKit.Attribute, _ user: User) throws -> AttributeValue {
        try ValueForm(attribute, for: user).read(value, origin, adds: adds)
    }
}
