import Foundation
import PledgeTestSupport

/// A validator for the part of JSON Schema that the tool's schemas use.
struct JSONSchema {
    private let root: [String: Any]

    /// Reads one of the schemas in the documentation of the tool.
    init(_ name: String) throws {
        root = try Repository.text("Sources/PledgeCommand/PledgeCommand.docc/\(name).schema.json").json
    }

    func definition(_ name: String) -> [String: Any] {
        (root["$defs"] as? [String: Any])?[name] as? [String: Any] ?? [:]
    }

    /// Returns the problems with a value. There are none if the value matches the schema.
    func problems(of value: Any) -> [String] { problems(of: value, root, at: "") }

    private func problems(of value: Any, _ schema: [String: Any], at path: String) -> [String] {
        let (object, items) = (value as? [String: Any] ?? [:], value as? [Any] ?? [])
        let members = schema["properties"] as? [String: Any] ?? [:]
        return schema.flatMap { keyword, rule -> [String] in
            let (text, names) = (rule as? String ?? "", rule as? [Any] ?? [])
            switch keyword {
            case "$schema", "title", "description", "$defs": return []
            case "$ref": return problems(of: value, definition(text.components(separatedBy: "/").last ?? ""), at: path)
            case "oneOf":
                let each = names.map { problems(of: value, $0 as? [String: Any] ?? [:], at: path) }
                return each.count(where: \.isEmpty) == 1 ? [] : each.min { $0.count < $1.count } ?? []
            case "type": return isType(value, text) ? [] : ["\(path) is no \(rule)"]
            case "const": return isEqual(value, rule) ? [] : ["\(path) is not \(rule)"]
            case "enum": return names.contains { isEqual(value, $0) } ? [] : ["\(path): \(value)"]
            case "pattern":
                return "\(value)".range(of: text, options: .regularExpression) == nil ? ["\(path): \(value)"] : []
            case "minItems", "minLength":
                let count = (value as? String)?.count ?? items.count
                return count < rule as? Int ?? 0 ? ["\(path) is too short"] : []
            case "items":
                return items.enumerated().flatMap { index, item in
                    problems(of: item, rule as? [String: Any] ?? [:], at: "\(path)[\(index)]")
                }
            case "required":
                return names.filter { object["\($0)"] == nil }.map { "\(path).\($0) is missing" }
            case "properties":
                return members.flatMap { name, rule in
                    object[name].map { problems(of: $0, rule as? [String: Any] ?? [:], at: "\(path).\(name)") } ?? []
                }
            case "additionalProperties":
                return object.filter { members[$0.key] == nil }.flatMap { name, member in
                    (rule as? [String: Any]).map { problems(of: member, $0, at: "\(path).\(name)") }
                        ?? (rule as? Bool == false ? ["\(path).\(name) is not in the schema"] : [])
                }
            default: return ["the schema has “\(keyword)”, which is not known here"]
            }
        }
    }

    private func isType(_ value: Any, _ type: String) -> Bool {
        let isFlag = (value as? NSNumber).map { String(cString: $0.objCType) == "c" } ?? false
        switch type {
        case "object": return value is [String: Any]
        case "array": return value is [Any]
        case "string": return value is String
        case "boolean": return isFlag
        case "integer": return !isFlag && (value as? Double).map { $0 == $0.rounded() } == true
        case "number": return !isFlag && value is Double
        default: return false
        }
    }

    private func isEqual(_ one: Any, _ other: Any) -> Bool {
        (one as? NSObject)?.isEqual(other) ?? false || "\(one)" == "\(other)"
    }
}
