import Foundation

// Compares the official SDK's public symbols with ours: compare <folder of the lists> <our symbol graphs> <article>
// What it takes for the same: a property that can be set where theirs cannot, a typed throw, a default that they have not, a
// shorter or longer name of the same type, a conformance where they list the initialiser that comes with it.

struct Graph: Decodable {
    struct Symbol: Decodable {
        struct Identifier: Decodable { let precise: String }
        struct Fragment: Decodable { let spelling: String }
        let identifier: Identifier
        let pathComponents: [String]
        let declarationFragments: [Fragment]?
    }
    struct Relationship: Decodable {
        let kind: String
        let source: String
        let target: String
        let targetFallback: String?
    }
    let symbols: [Symbol]
    let relationships: [Relationship]
}

struct Row {
    let path: String
    let kind: String
    let declaration: String
    var owner: String { String(path.prefix { $0 != "." }) }
}

let arguments = CommandLine.arguments
func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }
func lines(_ name: String) throws -> [[String]] {
    try text("\(arguments[1])/\(name)").split(separator: "\n").filter { !$0.hasPrefix("#") }
        .map { $0.split(separator: "\t").map(String.init) }
}
func rows(_ name: String) throws -> [Row] {
    try lines(name).map { Row(path: $0[0], kind: $0[1], declaration: $0[2]) }
}

var declarations: [String: [String]] = [:]
var conformances: [String: Set<String>] = [:]
for name in try FileManager.default.contentsOfDirectory(atPath: arguments[2]) where name.hasSuffix(".symbols.json") {
    let graph = try JSONDecoder().decode(Graph.self, from: Data(text("\(arguments[2])/\(name)").utf8))
    var paths: [String: String] = [:]
    for symbol in graph.symbols {
        let path = symbol.pathComponents.joined(separator: ".")
        paths[symbol.identifier.precise] = path
        declarations[path, default: []].append((symbol.declarationFragments ?? []).map(\.spelling).joined())
    }
    for fact in graph.relationships where fact.kind == "conformsTo" {
        guard let path = paths[fact.source], let target = fact.targetFallback else { continue }
        conformances[path, default: []].insert(target)
    }
}

/// Names that stand for a type of another name here.
let aliases = declarations.compactMapValues { found in
    found.first?.wholeMatch(of: #/typealias \w+ = (\w+)/#).map { String($0.1) }.flatMap {
        declarations[$0] == nil ? nil : $0
    }
}

/// Where a symbol is here.
func place(_ path: String) -> String {
    let name = aliases.keys.first { path == $0 || path.hasPrefix("\($0).") }
    return name.map { (aliases[$0] ?? $0) + path.dropFirst($0.count) } ?? path
}

/// A declaration without what makes no difference to who uses it.
func normal(_ declaration: String, _ row: Row) -> String {
    var text = declaration.split { $0.isWhitespace }.joined(separator: " ")
    // The page of a query is what its endpoint answers.
    let endpoint = declarations["\(row.owner).endpoint"]?.first ?? ""
    if let page = endpoint.firstMatch(of: #/Endpoint<(\w+)>/#) {
        text = text.replacing("Self.Page)", with: "\(page.1))")
    }
    for (name, type) in aliases { text = text.replacing(name.split(separator: ".").last ?? "", with: type) }
    for (words, others) in [
        ("Self.PageID", "PageID"), ("Self", row.owner), ("\(row.owner).", ""), ("any ", ""), ("(Error)?", "Error?"),
        ("@MainActor ", ""), ("convenience ", ""), ("required ", ""), ("open ", ""), (" { get set }", ""),
        (" { get }", ""),
        ("var ", "let "), ("throws(MyDataHelpsError)", "throws"), ("dynamic ", ""),
    ] {
        text = text.replacing(words, with: others)
    }
    text = text.replacing(#/Completion<([^<>]+)>/#) { "(Result<\($0.1), MyDataHelpsError>) -> Void" }
    return row.declaration.contains(" = ") ? text : text.replacing(#/ = [^,)]+/#, with: "")
}

/// What is wrong with ours; nil where it is the same.
func difference(_ row: Row) -> String? {
    let place = place(row.path)
    let known = conformances[place.split(separator: ".").dropLast().joined(separator: ".")] ?? []
    if row.path.hasSuffix(".init(from:)"), known.contains("Swift.Decodable") { return nil }
    if row.path.hasSuffix(".RawValue"), known.contains("Swift.RawRepresentable") { return nil }
    guard let ours = declarations[place] else { return "is absent" }
    let same = ours.contains { normal($0, row) == normal(row.declaration, row) }
    return same ? nil : "is “\(row.declaration)” there, and “\(ours.joined(separator: "” or “"))” here"
}

let current = try rows("2.0.0.tsv")
// What 2.0.0 declares anew is compared with 2.0.0 alone.
let older = try rows("1.3.0.tsv").filter { row in !current.contains { $0.path == row.path } }
let meant = Dictionary(uniqueKeysWithValues: try lines("differences.tsv").map { ($0[0], $0[1]) })
let article = try text(arguments[3])
var problems: [String] = []
for row in current + older {
    let difference = difference(row)
    if let difference, meant[row.path] == nil { problems.append("\(row.path) \(difference)") }
    if difference == nil, meant[row.path] != nil { problems.append("\(row.path) is the same, and stands in the list") }
}
for (path, reason) in meant where !article.contains("| `\(path)` | \(reason) |\n") {
    problems.append("\(path) is not in the table of \(arguments[3]), with its reason")
}
let table = article.components(separatedBy: "| official SDK | here |\n|---|---|\n").last ?? ""
let shown = table.split(separator: "\n", omittingEmptySubsequences: false).prefix { $0.hasPrefix("|") }.count
if shown != meant.count { problems.append("the table has \(shown) rows, and \(meant.count) differences are meant") }
for problem in problems { print(problem) }
print("\(current.count) symbols of 2.0.0 and \(older.count) of 1.3.0 alone; \(meant.count) differ on purpose.")
exit(problems.isEmpty ? 0 : 1)
