import ExistKit
import Foundation
import PledgeCoding

/// The name or label of an attribute, and its new value, such as `mood=7` or `tag: coffee`.
struct Assignment {
    var name: String
    var value: String
    var isTag = false
    /// Whether the value is added to the stored value instead of replacing it. Such a value may be negative.
    let adds: Bool
    private var origin = ValueParser.Origin.typed

    init(_ text: String, adds: Bool = false) throws {
        self.adds = adds
        if !adds, text.lowercased().hasPrefix("tag:") {
            name = text.dropFirst(4).trimmingCharacters(in: .whitespaces)
            value = "yes"
            isTag = true
            if let end = name.firstIndex(of: "=") {
                let tag = name[..<end]
                throw UsageError("“\(text)”: set a tag by its name alone, and clear it with “\(tag)=no”.")
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
        guard !name.isEmpty else { throw UsageError("“\(text)” has no attribute name before “=”.") }
        guard !value.isEmpty else {
            throw UsageError("“\(text)” has no value. Exist can replace a value, but not clear it.")
        }
    }

    /// Creates an assignment from a line of a file. The value has the form in which this tool prints it.
    ///
    /// - Parameter unit: The name of the unit; empty if the line has none.
    init(name: String, printed value: String, unit: String = "") {
        self.name = name
        self.value = value
        adds = false
        origin = .line(unit: unit)
    }

    /// Returns the value in the form in which the service stores it.
    func stored(_ attribute: ExistKit.Attribute, _ user: User) throws -> AttributeValue {
        try ValueParser(value, of: attribute, for: user, from: origin, adds: adds).parse()
    }
}
