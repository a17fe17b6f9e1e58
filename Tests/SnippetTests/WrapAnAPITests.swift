import Foundation
import PledgeHTTP
import PledgeSandbox
import PledgeTestSupport
import Testing

/// Runs the tests that the article WrapAnAPI.md shows, and checks that the rest of its code is in the playground page, which
/// CI runs.
@Suite("Wrapping an API", .serialized)
struct WrapAnAPITests {
    @Test("The code of WrapAnAPI.md is in the playground page or here, verbatim, and its client has at most 25 lines")
    func sameText() throws {
        let article = try Repository.text("Sources/PledgeHTTP/PledgeHTTP.docc/WrapAnAPI.md")
        let page = try Repository.text("Playgrounds/HTTP.playground/Pages/Wrap an API.xcplaygroundpage/Contents.swift")
        let compiled = [page.unindented, try Repository.text("Tests/SnippetTests/WrapAnAPITests.swift").unindented]
        let blocks = article.swiftBlocks.map(\.code)
        #expect(blocks.count == 12)
        #expect(blocks[0].split(separator: "\n", omittingEmptySubsequences: false).count <= 26)
        for block in blocks {
            #expect(compiled.contains { $0.contains(block.unindented) }, "\(block)")
        }
    }

    #if os(Linux) && compiler(>=6.2)
        @Test(
            "The code of WrapAnAPI.md compiles without a warning in Swift 5 and 6, with each default isolation",
            arguments: [(5, "nonisolated"), (6, "nonisolated"), (6, "MainActor")])
        func isolation(mode: Int, isolation: String) throws {
            let article = try Repository.text("Sources/PledgeHTTP/PledgeHTTP.docc/WrapAnAPI.md")
            let code = article.swiftBlocks.filter { !$0.mark.contains("part") }.map(\.code).joined(separator: "\n")
            let flags = ["-default-isolation", isolation]
            let (isTaken, output) = try Compiler.typecheck(code, mode: mode, flags: flags)
            #expect(isTaken && !output.contains("warning:"), "\(output)")
        }
    #endif

    @Test("The error of a refused book has the service's status and message")
    func refusal() async throws {
        let server = LoopbackServer(routes: [
            ServerRoute("POST /books") { _ in .json(["problem": ["text": "There is no title."]], status: 422) }
        ])
        try server.start()
        defer { server.stop() }
        let library = Library(at: server.baseURL, .bearer("t0k3n"))
        await #expect {
            try await library.add(untitled).value
        } throws: { error in
            (error as? ExchangeError)?.status == 422 && (error as? ExchangeError)?.message == "There is no title."
        }
        #expect(server.requests.first?.headers["Authorization"] == "Bearer t0k3n")
    }
}

private struct Library {
    let client: EndpointClient

    init(at address: URL, _ authorizer: Authorizer) {
        client = EndpointClient(
            baseURL: address, authorizer: authorizer,
            options: EndpointClient.Options().with {
                $0.timeout = 600
                $0.findMessage = { response in try? response.json([String: [String: String]].self)["problem"]?["text"] }
            })
    }

    func add(_ title: String) -> Promise<Void> { client.value(of: Endpoint(.post, "books", body: .json([title]))) }
}

extension OAuth2TokenSource {
    static func libraryApp(_ app: OAuth2Client) -> OAuth2TokenSource {
        OAuth2TokenSource { app.token(["grant_type": "client_credentials"]) }
    }
}

private let untitled = ""
