import Foundation

// Reads symbol graphs, and fails if a public symbol's comment has fewer than four words or only repeats the symbol's name. A
// symbol that implements a protocol's requirement needs no comment, because the compiler passes on the requirement's comment.

struct Graph: Decodable {
    var symbols: [Symbol]
}

struct Symbol: Decodable {
    struct Kind: Decodable { var identifier: String }
    struct Names: Decodable { var title: String }
    struct Lines: Decodable {
        struct Line: Decodable { var text: String }
        var lines: [Line]
    }
    struct Location: Decodable {
        struct Position: Decodable { var line: Int }
        var uri: String
        var position: Position
    }

    struct Identifier: Decodable { var precise: String }

    var identifier: Identifier
    var kind: Kind
    var names: Names
    var pathComponents: [String]
    var docComment: Lines?
    var location: Location?
}

/// Returns the path of a symbol without its parameters. Calls that differ only in style share one comment.
func family(of symbol: Symbol) -> String {
    symbol.pathComponents.map { $0.prefix { $0 != "(" } }.joined(separator: ".")
}

/// Returns what is wrong with a symbol's comment, or nil if nothing is wrong.
func fault(of symbol: Symbol, told: Set<String>) -> String? {
    let name = symbol.pathComponents.last ?? ""
    guard let lines = symbol.docComment?.lines.map(\.text) else {
        return told.contains(family(of: symbol)) || symbol.kind.identifier == "swift.extension" ? nil : "has no comment"
    }
    let sentence = lines.prefix { !$0.isEmpty && !$0.hasPrefix("- ") }.joined(separator: " ")
    let words = sentence.split(separator: " ").filter {
        $0.contains(where: \.isLetter) || $0.contains(where: \.isNumber)
    }
    if words.count < 4 { return "says too little: \(sentence)" }
    let letters = words.map { $0.lowercased().filter(\.isLetter) }.filter {
        !["a", "an", "the", "of", "its"].contains($0)
    }
    if letters.joined() == name.prefix(while: { $0 != "(" }).lowercased() {
        return "only repeats its name: \(sentence)"
    }
    return nil
}

var faults: Set<String> = []
var seen: Set<String> = []
for path in CommandLine.arguments.dropFirst() {
    let graph = try JSONDecoder().decode(Graph.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
    let told = Set(graph.symbols.filter { $0.docComment != nil }.map(family))
    for symbol in graph.symbols where !symbol.identifier.precise.contains("::SYNTHESIZED::") {
        let isNew = seen.insert(symbol.identifier.precise).inserted
        guard isNew, let fault = fault(of: symbol, told: told) else { continue }
        let file = symbol.location.map {
            "\($0.uri.replacingOccurrences(of: "file://", with: "")):\($0.position.line + 1): "
        }
        faults.insert("\(file ?? "")\(symbol.pathComponents.joined(separator: ".")) \(fault)")
    }
}
for fault in faults.sorted() { print(fault) }
print("\(seen.count) public symbols, \(faults.count) without a sentence of their own")
exit(faults.isEmpty ? 0 : 1)
