import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeHTTP

/// The public types of modules, as their source declares them.
struct PublicTypes {
    /// The initial list of types that cannot hold a secret. The models are added to it later: a model contains only the
    /// service's data about a person, and an app shows this data to that person.
    private static let plain: Set<String> = [
        "Bool", "Int", "Double", "String", "Date", "TimeInterval", "Set", "IndexSet", "JSONValue", "UnreadableItem",
        "ID",
    ]

    /// What each type's fields mention: types, closures, and names of secrets.
    private var mentions: [String: Set<String>] = [:]
    private var paths: [String: String] = [:]
    private var models = Self.plain

    var count: Int { mentions.count }

    /// The types that may hold a secret, each with its file.
    var holders: [(name: String, path: String)] {
        var plain = models
        while let name = mentions.first(where: { !plain.contains($0.key) && $0.value.isSubset(of: plain) })?.key {
            plain.insert(name)
        }
        return mentions.keys.filter { !plain.contains($0) }.sorted().map { ($0, paths[$0] ?? "") }
    }

    init(_ modules: [String]) throws {
        for module in modules {
            for path in Repository.paths(below: "Sources/\(module)", ending: ".swift") {
                let text = try Repository.text("Sources/\(module)/\(path)")
                // Skips screens, because they exist only on systems with UIKit, and these tests cannot run there.
                if !text.hasPrefix("#if canImport(UIKit)") { add(text, path) }
            }
        }
    }

    private mutating func add(_ text: String, _ path: String) {
        let lines = text.components(separatedBy: "\n")
        for line in lines where line.contains("extension ") || line.contains("struct ") {
            let model =
                /(?:extension (?:\w+\.)?(\w+): (?:Decodable, )?Readable|.*struct (\w+): (?:ResultPage|PagedQuery|PagedByID|ServiceWord)\b).*/
            if let match = line.wholeMatch(of: model)?.output, let name = match.1 ?? match.2 {
                models.insert(String(name))
            }
        }
        for (index, line) in lines.enumerated() where line.contains("public ") {
            let declaration = /( *)public (?:final |indirect )*(?:struct|class|enum|actor) (\w+)(.*)/
            guard let (_, indentation, name, rest) = line.wholeMatch(of: declaration)?.output else { continue }
            let body = lines[(index + 1)...].prefix { !$0.hasPrefix(indentation + "}") }
            let fields = body.filter { $0.hasPrefix(indentation + "    ") }.map { $0.dropFirst(indentation.count + 4) }
            let parameters = rest.matches(of: /[<,] *(\w+)/).map { String($0.1) }
            mentions[String(name), default: []].formUnion(fields.flatMap(Self.mentions))
            mentions[String(name)]?.subtract(parameters + [String(name)])
            paths[String(name)] = path
        }
    }

    /// Returns what a line mentions, if it declares a stored property or a case.
    private static func mentions(_ line: Substring) -> [String] {
        guard line.contains("let ") || line.contains("var ") || line.contains("case ") else { return [] }
        let field = /(?:(?:public|package|private|fileprivate|private\(set\)) )*(let|var|case) (\w+)(.*)/
        guard let (_, kind, name, rest) = line.wholeMatch(of: field)?.output else { return [] }
        // A computed property has braces, but no value before them.
        guard kind != "var" || !rest.contains("{") || rest.contains("= ") else { return [] }
        // Leaves out the raw value of a case, which is a literal.
        let declared = kind == "case" ? rest.prefix { $0 != "=" } : rest
        // Only the last part of a qualified name is matched.
        let types = declared.matches(of: /[A-Z]\w*(?![\w.])|->|\bany\b/).map { String($0.0) }
        return types + (SecretName.matches(name) && kind != "case" && types.contains("String") ? ["a secret"] : [])
    }
}
