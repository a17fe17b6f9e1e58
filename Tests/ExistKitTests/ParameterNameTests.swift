import Foundation
import PledgeTestSupport
import Testing

@Suite("Names of parameters")
struct ParameterNameTests {
    /// The labels that calls and queries use for each meaning. Add a new label to the row of its meaning.
    private static let meanings: [(meaning: String, type: String, labels: Set<String>)] = [
        ("several attributes", "[String]", ["names", "templates", "groups", "_", "clearing"]),
        ("an attribute", "String", ["for", "of", "between", "and"]),
        ("a page", "Int", ["page"]), ("the size of a page", "Int", ["limit"]), ("a number of days", "Int", ["days"]),
        ("a priority", "Int", ["priority"]), ("a day", "ExistDay", ["day", "on"]),
        ("the first and the last day", "ExistDay", ["from", "through"]),
    ]
    @Test("A parameter with one meaning has the same name in all calls and queries, except those of version 1")
    func names() throws {
        var found: [String: Set<String>] = [:]
        for symbol in try Repository.symbols("ExistKit") {
            let (path, declaration) = (symbol.path, symbol.declaration)
            guard declaration.contains("-> Promise<") || declaration.contains("-> ExistQuery<"),
                path.hasPrefix("ExistAPI.") || path.hasPrefix("ExistQuery."), !path.contains("minDate"),
                !path.hasPrefix("ExistAPI.simpleToken")
            else { continue }
            for match in declaration.matches(of: #/(\w+)(?: \w+)?: (\[String\]|String|Int|ExistDay)(?=[^\w.])/#) {
                found[String(match.2), default: []].insert(String(match.1))
            }
        }
        for (type, labels) in found {
            let known = Self.meanings.filter { $0.type == type }.reduce(Set<String>()) { $0.union($1.labels) }
            #expect(labels == known, "\(type)")
        }
        #expect(Set(found.keys) == Set(Self.meanings.map(\.type)))
    }
}
