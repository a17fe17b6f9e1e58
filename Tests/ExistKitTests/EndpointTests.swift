import ExistKit
import Foundation
import PledgeSandbox
import PledgeTestSupport
import Testing

@Suite("Every endpoint", .serialized)
struct EndpointTests {
    private let exist: SandboxCase
    init() throws { exist = try SandboxCase() }

    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Sources/ExistKit", isDirectory: true)

    @Test("is in the table of these tests")
    func complete() throws {
        let files = try FileManager.default.subpathsOfDirectory(atPath: Self.root.path).filter {
            $0.hasSuffix(".swift")
        }
        var paths: Set<String> = []
        for file in files {
            let source = try String(contentsOf: Self.root.appendingPathComponent(file), encoding: .utf8)
            // A path in quotes. The page for the user's browser is not an endpoint.
            for match in source.matches(of: #/"(?:api/2/)?((?:[a-z0-9_-]+/)+|oauth2/access_token)"/#) {
                paths.insert(String(match.1))
            }
        }

        #expect(paths == Set(EndpointCase.all.compactMap { $0.name.split(separator: " ").last.map(String.init) }))
    }

    @Test("has a route in the sandbox, which requires a token where the service does", arguments: EndpointCase.all)
    func route(endpoint: EndpointCase) async throws {
        let stranger = ExistAPI(
            token: "wrong", timeout: 600, baseURL: exist.sandbox.baseURL,
            options: ExistAPI.defaultOptions.with { $0.retry = .never })

        let problem = await endpoint.call(exist.existAPI).failure().map(ExistError.init)
        let refusal = await endpoint.call(stranger).failure().map(ExistError.init)

        let request = try #require(exist.sandbox.server.requests.first)
        let path = request.path.replacingOccurrences(of: "/api/2/", with: "/").dropFirst()
        #expect("\(request.method) \(path)" == endpoint.name)
        #expect(endpoint.needsToken ? problem == nil : problem?.kind != .notFound)
        #expect(!endpoint.needsToken || refusal?.kind == .unauthorized)
    }

    @Test("has samples, all of which decode", arguments: EndpointCase.all)
    func samples(endpoint: EndpointCase) async throws {
        #expect(!endpoint.samples.isEmpty)
        for sample in endpoint.samples {
            try exist.answer("", sample: sample)

            let problem = await endpoint.call(exist.existAPI).failure()

            #expect(problem == nil, "\(sample)")
        }
        #expect(exist.unreadable.all.isEmpty && exist.targets.count == endpoint.samples.count)
    }

    @Test("decodes each item of a list, also beside a broken one", arguments: EndpointCase.all)
    func brokenItems(endpoint: EndpointCase) throws {
        for sample in endpoint.samples { try endpoint.checkBroken(sample) }
    }

    @Test("reports a response of the wrong shape as unreadable", arguments: EndpointCase.all)
    func unreadable(endpoint: EndpointCase) async throws {
        exist.answer("", "[7]")

        let problem = await endpoint.call(exist.existAPI).failure()

        #expect(problem.map { ExistError($0).kind } == .unreadable)
    }

    @Test("has tests for its parameters", arguments: EndpointCase.all.filter(\.needsToken))
    func parameters(endpoint: EndpointCase) {
        let start = endpoint.name.replacingOccurrences(of: " ", with: " /api/2/")
        let calls = SentCall.all.filter {
            $0.sent == start || ["\(start)?", "\(start) "].contains(where: $0.sent.hasPrefix)
        }
        // Of a list, at least the page that is requested.
        #expect(endpoint.sent.isEmpty ? !calls.isEmpty : endpoint.sent.count > 1)
    }

    @Test("sends every parameter", arguments: SentCall.all)
    func sends(row: SentCall) async throws {
        _ = await row.call(exist.existAPI).settled().value
        let request = try #require(exist.sandbox.server.requests.first)
        let body = String(decoding: request.body, as: UTF8.self)
        #expect("\(request.method) \(request.target)" + (body.isEmpty ? "" : " \(body)") == row.sent)
        #expect(request.headers["Content-Type"] == (body.isEmpty ? nil : "application/json"))
        #expect(request.headers["Accept"] == "application/json")
        #expect(request.headers["Authorization"] == "Bearer \(exist.sandbox.token)")
    }

    @Test("is in the documentation", arguments: EndpointCase.all)
    func topic(endpoint: EndpointCase) throws {
        let page = try String(
            contentsOf: Self.root.appendingPathComponent("ExistKit.docc/ExistKit.md"), encoding: .utf8)
        #expect(page.contains("| `\(endpoint.name)` | ``"))
    }
}
