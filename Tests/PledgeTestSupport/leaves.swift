import Foundation

/// Returns the texts and numbers that a value consists of, by their paths. A nil adds nothing to the result.
func leaves(of value: Any) -> [String: String] {
    var found: [String: String] = [:]
    func add(_ value: Any, _ path: String) {
        if let raw = value as? any RawRepresentable { return add(raw.rawValue, path) }
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .struct where value is Date || value is URL: found[path] = leaf(value)
        // A type that wraps a single value, such as a day or an identifier.
        case .struct where value is any CustomStringConvertible && mirror.children.count == 1:
            found[path] = "\(value)"
        case .struct:
            // Skips lists of unreadable items, which are reported separately.
            for child in mirror.children where child.label?.hasPrefix("unreadable") == false {
                add(child.value, "\(path).\(child.label ?? "")")
            }
        case .dictionary:
            for pair in mirror.children.map({ Array(Mirror(reflecting: $0.value).children) }) {
                add(pair[1].value, "\(path).\(pair[0].value)")
            }
        case .collection:
            for (index, child) in mirror.children.enumerated() { add(child.value, "\(path)[\(index)]") }
        case .set:
            for (name, text) in mirror.children.flatMap({ leaves(of: $0.value) }) {
                found["\(path)\(name) \(text)"] = text
            }
        case .optional: for child in mirror.children { add(child.value, path) }
        case .enum where !mirror.children.isEmpty: for child in mirror.children { add(child.value, path) }
        default: found[path] = leaf(value)
        }
    }
    add(value, "")
    return found
}

func leaf(_ value: Any) -> String {
    if let date = value as? Date { return "\(date.timeIntervalSince1970)" }
    // 7 and 7.0 are the same number.
    if let number = value as? Double, let whole = Int(exactly: number) { return "\(whole)" }
    return "\(value)"
}
