import ExistKit
import Foundation
import PledgeSandbox
import PledgeTestSupport
import Testing

/// What the README shows, compiled and run. The first test keeps the two the same, word for word.
@Suite("The README")
struct ReadmeTests {
    @Test("The chain in the README is the chain that is compiled here, and no longer than 15 lines")
    func sameText() throws {
        let readme = try Repository.text("README.md")
        let source = try String(contentsOfFile: #filePath, encoding: .utf8)
        let snippet = try #require(readme.swiftBlocks.first?.code)
        let chain = try #require(snippet.components(separatedBy: "token: \"…\")\n\n").dropFirst().first)
        #expect(snippet.split(separator: "\n", omittingEmptySubsequences: false).dropLast().count <= 15)
        // In a test, a script's end would be that of all tests.
        #expect(source.unindented.contains(chain.unindented.replacingOccurrences(of: ".waitOrExit()", with: "")))
    }

    @Test("Both commands are on the README's first screen")
    func commands() throws {
        let readme = try Repository.text("README.md")
        let screen = readme.split(separator: "\n", omittingEmptySubsequences: false).prefix(40)

        #expect(screen.contains { $0.hasPrefix("swift run pledge report") })
        #expect(screen.contains { $0.hasPrefix("swift test") })
    }

    @Test("The chain in the README runs")
    func chain() async throws {
        let sandbox = try ExistSandbox.start()
        defer { sandbox.stop() }
        let existAPI = ExistAPI(token: sandbox.token, baseURL: sandbox.baseURL)
        let printed = Locked<[String]>([])
        let print = { @Sendable (items: Any...) in printed.withLock { $0.append("\(items)") } }

        let ended: Promise<Void> =
            // The README's chain begins here.
            existAPI.acquire(names: ["mood"]).then { acquired, _ in
                existAPI.update(attributes: [IntAttributeUpdate(name: "mood", date: Date(), value: 7)])
            }.then { updated, _ in
                existAPI.attributes(names: ["mood", "sleep"], days: 7)
            }.done { attributes, response in
                for attribute in attributes { print(attribute.label, "today:", attribute.values.first?.value ?? "–") }
            }

        try await ended.value
        #expect(printed.withLock { $0.count } == 2)
        #expect(printed.withLock { $0.contains(#"["Mood", "today:", 7]"#) })
    }
}
