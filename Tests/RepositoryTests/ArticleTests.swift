import Foundation
import PledgeTestSupport
import Testing

/// What README, CONTRIBUTING and the articles show in parts is compiled somewhere: in the sources, the tests, or a playground
/// page. What they show as a whole, `Tests/Documentation/check.py` compiles as it stands.
@Suite("Code in the documentation")
struct ArticleTests {
    @Test("Each part of a Swift program is compiled verbatim, and what is marked so is run")
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
                // Lines of a user's manifest are not ours to compile.
                if code.contains(".package(") { continue }
                // A blank line may have other code in its place.
                for part in code.components(separatedBy: "\n\n").map(\.unindented) {
                    if mark.contains("part") {
                        #expect(compiled.contains { $0.contains(part) }, "\(document): \(part)")
                    }
                    // A test has imports of its own, and asks the sandbox.
                    let asksService = part == "let existAPI = ExistAPI(token: \"…\")"
                    if mark.contains("run"), !part.hasPrefix("import "), !asksService {
                        // In a test, a script's end would be that of all tests.
                        let part = part.replacingOccurrences(of: ".waitOrExit()", with: "")
                        #expect(run.contains(part), "\(document), marked to be run: \(part)")
                    }
                }
            }
        }
        #expect(count > 40)
    }
}
