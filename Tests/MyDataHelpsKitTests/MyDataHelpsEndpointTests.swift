import Foundation
import MyDataHelpsKit
import PledgeTestSupport
import Testing

@Suite("Every endpoint", .serialized)
struct MyDataHelpsEndpointTests {
    private let mdh: MyDataHelpsCase
    init() throws { mdh = try MyDataHelpsCase() }

    private static let delegated = EndpointCase.all.filter(\.isDelegated)

    /// Returns whether a path matches the pattern of an endpoint.
    private func isPath(_ path: some StringProtocol, of endpoint: EndpointCase) -> Bool {
        let parts = (path.split(separator: "/"), endpoint.path.split(separator: "/"))
        return parts.0.count == parts.1.count && zip(parts.0, parts.1).allSatisfy { $0 == $1 || $1 == "{id}" }
    }

    private static func sources() throws -> [(file: String, source: String)] {
        try Repository.paths(below: "Sources/MyDataHelpsKit", ending: ".swift").map {
            ($0, try Repository.text("Sources/MyDataHelpsKit/\($0)"))
        }
    }

    @Test("has its calls at the beginning of the file that is named after its folder, and nowhere else")
    func places() throws {
        // What begins a call in any of the styles, and is not that of a query, a model, or a screen.
        let call = #/\n    public func [^{]*(?:-> Promise<|async throws|Completion<)/#
        var (folders, indices): (Set<Substring>, Set<Substring>) = ([], [])
        for (file, source) in try Self.sources() where file.contains("/") {
            let path = file.split(separator: "/")
            folders.insert(path[0])
            let isIndex = path.count == 2 && path[1] == "\(path[0]).swift"
            if isIndex { indices.insert(path[0]) }
            if isIndex, source.firstMatch(of: call) != nil {
                let first = source.split(separator: "\n").first { !$0.hasPrefix("import ") }
                let owner = ["Administration", "Tokens"].contains(path[0]) ? "ServiceAccount" : "ParticipantSession"
                #expect(first == "extension \(owner) {", "\(file)")
            }
            // The page around a survey is made of a call's result.
            let isOther = path.last == "SurveyPresentation.swift"
            #expect(isIndex || isOther || source.firstMatch(of: call) == nil, "\(file)")
        }
        #expect(folders.subtracting(indices) == ["Version1"])
    }

    @Test("is in the table of these tests")
    func complete() throws {
        var paths: Set<String> = []
        for (_, source) in try Self.sources() {
            // A path in quotes, including its interpolated values.
            for match in source.matches(of: #/"((?:api|identityserver)/[^"]*)"/#) {
                paths.insert(String(match.1).replacing(#/\\\([^)]*\)/#, with: "{id}"))
            }
        }

        #expect(paths == Set(EndpointCase.all.map(\.path)))
    }

    @Test("has a route in the sandbox, which requires a token, in each style", arguments: EndpointCase.all)
    func route(endpoint: EndpointCase) async throws {
        for style in endpoint.styles {
            let (mdh, stranger) = (try MyDataHelpsCase(), try MyDataHelpsCase(token: "wrong"))
            defer {
                mdh.sandbox.stop()
                stranger.sandbox.stop()
            }

            try await style(mdh)

            let request = try #require(mdh.sandbox.server.requests.last)
            #expect(request.method == endpoint.method && isPath(request.path, of: endpoint))
            guard endpoint.isDelegated else { continue }
            let refusal = await thrown(MyDataHelpsError.self) { try await style(stranger) }
            #expect(refusal?.name == "unauthorizedRequest")
        }
    }

    @Test("has samples, all of which decode", arguments: EndpointCase.all)
    func samples(endpoint: EndpointCase) async throws {
        for name in endpoint.samples {
            mdh.answer("\(endpoint.method) /", String(decoding: try sample(name), as: UTF8.self))

            try await endpoint.styles[0](mdh)
        }
        #expect(mdh.unreadable.all.isEmpty)
    }

    @Test("decodes each item of a list, also beside a broken one", arguments: EndpointCase.all)
    func brokenItems(endpoint: EndpointCase) throws {
        for sample in endpoint.samples { try endpoint.checkBroken(sample) }
    }

    @Test(
        "reports a response of the wrong shape as unreadable, unless it ignores the response",
        arguments: EndpointCase.all)
    func unreadable(endpoint: EndpointCase) async throws {
        mdh.answer("\(endpoint.method) /", "7")
        var problem: (any Error)?
        do { try await endpoint.styles[0](mdh) } catch { problem = error }

        guard !endpoint.samples.isEmpty else { return #expect(problem == nil) }
        #expect((problem as? MyDataHelpsError)?.name == "decodingError")
    }

    @Test("has tests for its parameters", arguments: MyDataHelpsEndpointTests.delegated)
    func parameters(endpoint: EndpointCase) {
        let calls = SentCall.all.filter { row in
            let words = row.sent.split(separator: " ")
            return String(words[0]) == endpoint.method && isPath(words[1].prefix { $0 != "?" }, of: endpoint)
        }
        // Of a list, at least the page that is requested.
        #expect(endpoint.sent.isEmpty ? !calls.isEmpty : endpoint.sent.count > 1)
    }

    @Test("leaves out what each filter should")
    func filters() async throws {
        for endpoint in Self.delegated where !endpoint.sent.isEmpty {
            let check = try #require(endpoint.checkFilters, "\(endpoint.name) has no filters")
            try await check(mdh.session)
        }
    }

    @Test("sends every parameter", arguments: SentCall.all)
    func sends(row: SentCall) async throws {
        _ = await row.call(mdh.session).settled().value
        let request = try #require(mdh.sandbox.server.requests.first)
        let body = String(decoding: request.body, as: UTF8.self)
        #expect("\(request.method) \(request.target)" + (body.isEmpty ? "" : " \(body)") == row.sent)
        #expect(request.headers["Content-Type"] == (body.isEmpty ? nil : "application/json"))
        #expect(request.headers["Accept"] == "application/json")
        #expect(request.headers["Authorization"] == "Bearer \(mdh.sandbox.token)")
    }
}
