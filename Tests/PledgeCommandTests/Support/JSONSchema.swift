import Foundation
import PledgeTestSupport

/// The part of JSON Schema that the tool's schema uses.
struct JSONSchema {
    private let root: [String: Any]

    /// Reads one of the schemas in the documentation of the tool.
    init(_ name: String) throws {
        root = try Repository.text("Sources/PledgeCommand/PledgeCommand.docc/\(name).schema.json").json
    }

    func definition(_ name: String) -> [String: Any] {
        (root["$defs"] as? [String: Any])?[name] as? [String: Any] ?? [:]
    }

    /// Returns the problems with a value; none if it matches the schema.
    func problems(of value: Any) -> [String] { problems(of: value, root, at: "") }

    private func problems(of value: Any, _ schema: [String: Any], at path: String) -> [String] {
        var problems: [String] = []
        for (keyword, rule) in schema {
            switch keyword {
            case "$schema", "title", "description", "$defs", "required", "additionalProperties": break
            case "$ref":
                let name = (rule as? String)?.split(separator: "/").last.map(String.init) ?? ""
                problems += self.problems(of: value, definition(name), at: path)
            case "oneOf":
                let each = (rule as? [[String: Any]] ?? []).map { self.problems(of: value, $0, at: path) }
                if each.count(where: \.isEmpty) != 1 { problems += each.min { $0.count < $1.count } ?? [] }
            case "type": if !isType(value, rule as? String ?? "") { problems.append("\(path) is no \(rule)") }
            case "const": if !isEqual(value, rule) { problems.append("\(path) is not \(rule)") }
            case "enum":
                if !(rule as? [Any] ?? []).contains(where: { isEqual(value, $0) }) {
                    problems.append("\(path): \(value)")
                }
            case "pattern":
                let text = value as? String ?? ""
                if text.range(of: rule as? String ?? "", options: .regularExpression) == nil {
                    problems.append("\(path): \(text)")
                }
            case "items":
                for (index, item) in (value as? [Any] ?? []).enumerated() {
                    problems += self.problems(of: item, rule as? [String: Any] ?? [:], at: "\(path)[\(index)]")
                }
            case "minItems", "minLength":
                let count = (value as? [Any])?.count ?? (value as? String)?.count ?? .max
                if count < rule as? Int ?? 0 { problems.append("\(path) is too short") }
            case "properties": problems += members(of: value, rule as? [String: Any] ?? [:], schema, at: path)
            default: problems.append("the schema has “\(keyword)”, which is not known here")
            }
        }
        if schema["properties"] == nil { problems += members(of: value, [:], schema, at: path) }
        return problems
    }

    private func members(
        of value: Any, _ properties: [String: Any], _ schema: [String: Any], at path: String
    ) -> [String] {
        guard let object = value as? [String: Any] else { return [] }
        var problems = (schema["required"] as? [String] ?? []).filter { object[$0] == nil }.map {
            "\(path).\($0) is missing"
        }
        for (name, member) in object {
            if let rule = properties[name] as? [String: Any] {
                problems += self.problems(of: member, rule, at: "\(path).\(name)")
            } else if let rule = schema["additionalProperties"] as? [String: Any] {
                problems += self.problems(of: member, rule, at: "\(path).\(name)")
            } else if schema["additionalProperties"] as? Bool == false {
                problems.append("\(path).\(name) is not in the schema")
            }
        }
        return problems
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
