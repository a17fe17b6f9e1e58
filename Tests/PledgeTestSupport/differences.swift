import Foundation
import PledgeCoding

/// Returns the differences between a model and the JSON that was sent, each with both values. A difference is a field whose
/// value in the model is not the one that was sent, or a property that is not empty although its field was not sent.
///
/// - Parameter names: The names of the properties that are named differently than their fields in the JSON. The keys of the
///   dictionary are the names of these fields.
package func differences(between model: Any, and sent: JSONValue, names: [String: String] = [:]) -> Set<String> {
    func named(_ path: String, _ names: [String: String]) -> String {
        path.replacing(#/\.(\w+)/#) { match in
            let words = match.1.split(separator: "_")
            return "." + (names[String(match.1)] ?? words[0] + words.dropFirst().map(\.capitalized).joined())
        }
    }
    func form(_ leaves: [String: String], _ names: [String: String] = [:]) -> [String: String] {
        // A property whose name begins with an underscore does not stand for a field.
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

/// Returns the seconds since 1970 of a moment that a service wrote, or nil for any other text.
private func moment(_ text: String) -> Double? {
    guard let match = text.wholeMatch(of: #/(\d{4}-\d\d-\d\dT[\d:]+)(\.\d+)?(.*)/#) else { return nil }
    let date = ISO8601DateFormatter().date(from: "\(match.1)\(match.3)")
    return date.map { $0.timeIntervalSince1970 + (match.2.flatMap { Double("0\($0)") } ?? 0) }
}
