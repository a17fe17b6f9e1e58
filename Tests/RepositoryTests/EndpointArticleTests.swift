import PledgeTestSupport
import Testing

@Suite("The kits' tables of endpoints")
struct EndpointArticleTests {
    /// The names of the public functions and queries of a kit by the endpoint that their documentation names.
    private static func calls(of kit: String) throws -> [String: Set<Substring>] {
        var calls: [String: Set<Substring>] = [:]
        for path in Repository.paths(below: "Sources/\(kit)", ending: ".swift") {
            let source = try Repository.text("Sources/\(kit)/\(path)")
            let documented = #/(?m)((?:^ *\/\/\/.*\n)+)(?:^ *@.*\n)* *public (?:static )?(?:func|var) (\w+)/#
            for found in source.matches(of: documented) {
                let words = found.1.replacing(#/\n *\/\/\//#, with: "")
                for endpoint in words.matches(of: #/`(GET|POST|DELETE) ([a-z][^`?]+)(?:\?[^`]*)?`/#) {
                    let path = endpoint.2.replacing(#/<\w+>/#, with: "{id}")
                    calls["\(endpoint.1) \(path)", default: []].insert(found.2)
                }
            }
        }
        return calls
    }

    @Test(
        "Each has a row for each endpoint, with calls that are documented as those of that endpoint",
        arguments: ["ExistKit", "MyDataHelpsKit"])
    func rows(kit: String) throws {
        let calls = try Self.calls(of: kit)
        let article = try Repository.text("Sources/\(kit)/\(kit).docc/\(kit).md")
        var endpoints: [String] = []
        for row in article.matches(of: #/(?m)^\| `((?:GET|POST|DELETE) [^`]+)` \| (.*) \|$/#) {
            let endpoint = String(row.1)
            endpoints.append(endpoint)
            // A list without a call of its own has the request of its query.
            let named = row.2.matches(of: #/`(?:\w+\/)?(\w+)\(|`\w+\/(endpoint)`/#).map { $0.1 ?? $0.2 ?? "" }
            #expect(!named.isEmpty, "\(endpoint)")
            #expect(Set(named).subtracting(calls[endpoint] ?? []) == [], "not documented as calls of \(endpoint)")
        }
        #expect(endpoints.sorted() == calls.keys.sorted())
    }
}
