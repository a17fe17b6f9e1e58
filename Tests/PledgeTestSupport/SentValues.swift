import Foundation
import PledgeCoding

/// Returns the fields that a model does not have as they were sent, and its properties that were not sent, unless those
/// are empty: each with both values.
///
/// - Parameter names: The properties that are not named as the service's field is.
package func differences(between model: Any, and sent: JSONValue, names: [String: String] = [:]) -> Set<String> {
    func named(_ path: String, _ names: [String: String]) -> String {
        path.replacing(#/\.(\w+)/#) { match in
            let words = match.1.split(separator: "_")
            return "." + (names[String(match.1)] ?? words[0] + words.dropFirst().map(\.capitalized).joined())
        }
    }
    func form(_ leaves: [String: String], _ names: [String: String] = [:]) -> [String: String] {
        // What begins so is no field.
        let leaves = leaves.filter { $1 != "null" && !$0.contains("._") }
        return Dictionary(leaves.map { (named($0, names), $1) }) { one, _ in one }
    }
    let (fields, properties) = (form(leaves(of: sent), names), form(leaves(of: model)))
    return Set(
        Set(fields.keys).union(properties.keys).compactMap { path in
            let (field, property) = (fields[path], properties[path])
            if field == property || property == nil && field == "" { return nil }
            if field == nil, ["", "false", "0"].contains(property) { return nil }
            if let moment = field.flatMap(moment), let date = property.flatMap(Double.init), abs(moment - date) < 1e-5 {
                return nil
            }
            return path.replacing(#/\[\d+\]/#, with: "[]")
                + ": \(field ?? "nothing") was sent, it is \(property ?? "nil")"
        })
}

/// Returns the seconds since 1970 of a moment that a service wrote; nil of any other text.
private func moment(_ text: String) -> Double? {
    guard let match = text.wholeMatch(of: #/(\d{4}-\d\d-\d\dT[\d:]+)(\.\d+)?(.*)/#) else { return nil }
    let date = ISO8601DateFormatter().date(from: "\(match.1)\(match.3)")
    return date.map { $0.timeIntervalSince1970 + (match.2.flatMap { Double("0\($0)") } ?? 0) }
}

/// The texts and numbers that a value consists of, by their paths; nothing for nil.
func leaves(of value: Any) -> [String: String] {
    var found: [String: String] = [:]
    func add(_ value: Any, _ path: String) {
        if let raw = value as? any RawRepresentable { return add(raw.rawValue, path) }
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .struct where value is Date || value is URL: found[path] = leaf(value)
        // A day, an identifier.
        case .struct where value is any CustomStringConvertible && mirror.children.count == 1:
            found[path] = "\(value)"
        case .struct:
            // What is unreadable was reported.
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
