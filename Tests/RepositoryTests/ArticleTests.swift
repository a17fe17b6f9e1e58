import Foundation
import PledgeTestSupport
import Testing

@Suite("The documentation")
struct ArticleTests {
    /// Code that README, CONTRIBUTING, and the articles show as a part of a program must be compiled somewhere: in the sources,
    /// the tests, or a playground page. `Documentation/check.py` compiles the code that is a whole program.
    @Test("In documents, Swift code with the mark `part` is compiled verbatim, and code with the mark `run` is run")
    func compiled() throws {
        let articles = Repository.paths(below: "Sources", ending: ".md").map { "Sources/\($0)" }
        let compiled = try ["Sources", "Tests", "Playgrounds"].flatMap { folder in
            try Repository.paths(below: folder, ending: ".swift")
                .filter { !$0.contains(".build") && !$0.hasPrefix("Benchmarks") }
                .map { try Repository.text("\(folder)/\($0)").unindented }
        }
        let run = try Repository.text("Tests/SnippetTests/RunTests.swift").unindented

        var count = 0
        for document in articles + ["README.md", ".github/CONTRIBUTING.md"] {
            for (mark, code) in try Repository.text(document).swiftBlocks {
                count += 1
                // Lines of a user's package manifest cannot be compiled here.
                if code.contains(".package(") { continue }
                // Where the document has a blank line, the compiled code may have other lines.
                for part in code.components(separatedBy: "\n\n").map(\.unindented) {
                    if mark.contains("part") {
                        let isThere = compiled.contains { $0.range(of: part, options: .literal) != nil }
                        #expect(isThere, "\(document): \(part)")
                    }
                    // The tests leave out the article's imports, and the line that creates a client, because the tests'
                    // own client sends its requests to the sandbox.
                    let asksService = part == "let existAPI = ExistAPI(token: \"…\")"
                    if mark.contains("run"), !part.hasPrefix("import "), !asksService {
                        // The tests leave out `waitOrExit`, which would end the process of all tests.
                        let part = part.replacingOccurrences(of: ".waitOrExit()", with: "")
                        #expect(run.contains(part), "\(document), marked to be run: \(part)")
                    }
                }
            }
        }
        #expect(count > 40)
    }

    /// Returns the names of a kit's public functions and queries, by the endpoint that their documentation names.
    private static func calls(of kit: String) throws -> [String: Set<Substring>] {
        var calls: [String: Set<Substring>] = [:]
        for path in Repository.paths(below: "Sources/\(kit)", ending: ".swift") {
            let source = try Repository.text("Sources/\(kit)/\(path)")
            let documented =
                #/(?m)((?:^ *\/\/\/.*\n)+)(?:^ *@.*\n)* *(?:@Sendable )?public (?:static )?(?:func|var) (\w+)/#
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
        "The table of a kit's article has a row for each endpoint, with calls whose documentation names the endpoint",
        arguments: ["ExistKit", "MyDataHelpsKit"])
    func rows(kit: String) throws {
        let calls = try Self.calls(of: kit)
        let article = try Repository.text("Sources/\(kit)/\(kit).docc/\(kit).md")
        var endpoints: [String] = []
        for row in article.matches(of: #/(?m)^\| `((?:GET|POST|DELETE) [^`]+)` \| (.*) \|$/#) {
            let endpoint = String(row.1)
            endpoints.append(endpoint)
            // If a list has no call of its own, its row names the `endpoint` of the list's query.
            let named = row.2.matches(of: #/`(?:\w+\/)?(\w+)\(|`\w+\/(endpoint)`/#).map { $0.1 ?? $0.2 ?? "" }
            #expect(!named.isEmpty, "\(endpoint)")
            #expect(Set(named).subtracting(calls[endpoint] ?? []) == [], "not documented as calls of \(endpoint)")
        }
        #expect(endpoints.sorted() == calls.keys.sorted())
    }

    @Test(
        "The topics of a kit's article include the item type of each list", arguments: ["ExistKit", "MyDataHelpsKit"])
    func items(kit: String) throws {
        let symbols = try Repository.symbols(kit)
        let item = #/(?:^static func .* -> ExistQuery|: PageContent|typealias Element =)[< ](?!Self)(\w+)/#
        let found = Set(symbols.compactMap { $0.declaration.firstMatch(of: item).map { String($0.1) } })
        let article = try Repository.text("Sources/\(kit)/\(kit).docc/\(kit).md")
        #expect(found.count >= 5)
        #expect(found.filter { !article.contains("\n- ``\($0)``\n") } == [])
    }

    @Test("Every file that the article on the architecture names exists")
    func files() throws {
        let article = try Repository.text("Sources/Pledge/Pledge.docc/Architecture.md")
        let named = Set(article.matches(of: #/\b(?:[A-Z][A-Za-z]*\/)+[A-Z][\w+]*/#).map { String($0.0) })
        let paths = ["Sources", "Tests"].flatMap { top in
            Repository.paths(below: top, ending: ".swift").map { "/\(top)/\($0)" }
        }
        #expect(named.count > 40)
        let missing = named.filter { name in
            !paths.contains { $0.hasSuffix("/\(name).swift") || $0.contains("/\(name)/") }
        }
        #expect(missing == [])
    }

    @Test(
        "Every member of a type that an article about the inside names is declared in a file of that type",
        arguments: ["Architecture", "Inside"])
    func members(article: String) throws {
        let text = try Repository.text("Sources/Pledge/Pledge.docc/\(article).md")
        let sources = try Repository.paths(below: "Sources", ending: ".swift")
            .map { try Repository.text("Sources/\($0)") }
        let named = text.matches(of: #/`([A-Z]\w+)\.([a-z]\w*)/#)
        #expect(named.count > 1)
        for name in named {
            let isThere = try sources.contains { source in
                let type = try Regex("(?:struct|class|enum|protocol|extension) \(name.1)\\b")
                let member = try Regex("(?:func|var|let|case) \(name.2)\\b")
                return source.firstMatch(of: type) != nil && source.firstMatch(of: member) != nil
            }
            #expect(isThere, "\(name.0)")
        }
    }

    @Test("Every guarantee in the article on security names an existing test")
    func guarantees() throws {
        let article = try Repository.text("Sources/PledgeHTTP/PledgeHTTP.docc/Security.md")
        let tests = Repository.paths(below: "Tests", ending: "Tests.swift").filter { !$0.contains(".build") }
        let texts = try Set(tests.flatMap { try Repository.text("Tests/\($0)").split(separator: "\"") })
        let promises = article.components(separatedBy: "\n- ").dropFirst()
            .map { $0.components(separatedBy: "\n\n")[0] }.filter { !$0.hasPrefix("It is no service") }
        #expect(promises.count > 25)
        for promise in promises {
            // A guarantee in quotation marks is itself the title of a test.
            let opening = promise.hasPrefix("“") ? "“" : "(test: “"
            let name = promise.components(separatedBy: opening).dropFirst().first?.components(separatedBy: "”")[0]
            let title = Substring(try #require(name, "\(promise) names no test"))
            let isThere = texts.contains(title)
            #expect(isThere, "no such test: \(title)")
        }
    }
}
