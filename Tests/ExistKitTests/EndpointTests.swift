@testable import ExistKit
import Foundation
import PledgeTestSupport
import Testing

/// One endpoint of the service: a call to it, samples of its replies, and what a broken item does to them.
struct EndpointCase: Sendable, CustomTestStringConvertible {
    /// Method and path, as the service's documentation has them.
    let name: String
    let samples: [String]
    /// All but those that give one ask for a token.
    var needsToken = true
    /// Reads a sample as it is, and with a broken item in front of each of its lists.
    var checkBroken: @Sendable (_ sample: String) throws -> Void = { _ in }
    let call: @Sendable (ExistAPI) -> Promise<Void>

    var testDescription: String { name }

    static func one<Value>(
        _ name: String, _ samples: String..., needsToken: Bool = true,
        call: @escaping @Sendable (ExistAPI) -> Promise<Value>
    ) -> EndpointCase {
        EndpointCase(name: name, samples: samples, needsToken: needsToken) { call($0).asVoid() }
    }

    static func list<Item: Equatable>(_ query: ExistQuery<Item>, _ samples: String...) -> EndpointCase {
        EndpointCase(
            name: query.endpoint.description, samples: samples,
            checkBroken: { sample in
                let whole = try read(ExistPage<Item>.self, sample)
                #expect(!whole.results.isEmpty && whole.unreadable.isEmpty, "\(sample)")
                for item in [JSONValue.object([:]), .object(["name": .array([])]), .integer(7), .null, .string("x")] {
                    let page = try decode(ExistPage<Item>.self, try broken(sample, with: item))
                    #expect(page.results == whole.results, "\(sample) with \(item)")
                    #expect(page.unreadable.map(\.index) == [0], "\(sample) with \(item)")
                }
            },
            call: { $0.page(query).asVoid() })
    }

    static func write<Success: Equatable>(
        _ name: String, _ samples: String...,
        call:
            @escaping @Sendable (ExistAPI) -> Promise<(attributeResponse: BatchResult<Success>, response: URLResponse)>
    ) -> EndpointCase {
        EndpointCase(
            name: name, samples: samples,
            checkBroken: { sample in
                let whole = try read(BatchResult<Success>.self, sample)
                let reply = try decode(BatchResult<Success>.self, try broken(sample, with: .integer(7)))
                #expect(reply.success == whole.success && reply.failed == whole.failed, "\(sample)")
                #expect(whole.unreadable.isEmpty && !reply.unreadable.isEmpty, "\(sample)")
            },
            call: { call($0).asVoid() })
    }

    /// A sample, with a broken item in front of each of its lists.
    private static func broken(_ sample: String, with item: JSONValue) throws -> String {
        guard case .object(var reply) = try read(JSONValue.self, sample) else { throw NoSuchDay() }
        for key in ["results", "success", "failed"] {
            if case .array(let items)? = reply[key] { reply[key] = .array([item] + items) }
        }
        return String(decoding: try JSONEncoder().encode(reply), as: UTF8.self)
    }
}

extension EndpointCase {
    static let all: [EndpointCase] = [
        .one("GET accounts/profile/", "profile_200", "profile_sparse_200") { $0.user() },
        .one("POST auth/simple-token/", "auth_simple_token_200", needsToken: false) {
            ExistAPI.simpleToken(username: "a", password: "b", baseURL: $0.baseURL)
        },
        .one("POST oauth2/access_token", "auth_oauth_token_200", "auth_oauth_refresh_200", needsToken: false) {
            ExistOAuth(clientID: "a", clientSecret: "b", redirectURI: "app://back", baseURL: $0.baseURL)
                .token(for: "c")
        },
        .list(.attributes(), "attributes_page1_200", "attributes_page2_last_200"),
        .list(.owned(), "attributes_owned_200"),
        .list(.templates(), "attributes_templates_page1_200", "attributes_templates_page2_200"),
        .list(
            .attributesWithValues(), "attributes_with_values_page1_200", "attributes_with_values_page2_200",
            "attributes_tags_for_day_200"),
        .list(.values(of: "weight"), "attributes_values_200"),
        .list(.insights(), "insights_page1_200"),
        .list(.averages(), "averages_200", "averages_historical_200"),
        .list(.correlations(), "correlations_page1_200", "correlations_page2_200"),
        .one("GET correlations/combo/", "correlation_combo_200", "correlation_combo_404") {
            $0.correlation(between: "sleep", and: "steps")
        },
        .write("POST attributes/acquire/", "acquire_200", "acquire_202", "write_200_missing_arrays") {
            $0.acquire(names: ["mood"])
        },
        .write("POST attributes/release/", "release_200", "release_202") { $0.release(names: ["mood"]) },
        .write("POST attributes/create/", "create_plain_200", "create_success_objects_200", "create_202") {
            $0.create([.tag("Rain")])
        },
        .write("POST attributes/update/", "update_200", "update_202", "write_202_all_failed") {
            $0.update(attributes: [IntAttributeUpdate(name: "mood", date: SandboxCase.noon, value: 5)])
        },
        .write("POST attributes/increment/", "increment_200", "increment_202") {
            $0.increment(attributes: [AttributeIncrement(name: "steps", by: 5)])
        },
    ]
}

@Suite("Every endpoint", .serialized)
struct EndpointTests {
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
            // A path in quotes. The page for the user's browser is no endpoint.
            for match in source.matches(of: #/"(?:api/2/)?((?:[a-z0-9_-]+/)+|oauth2/access_token)"/#) {
                paths.insert(String(match.1))
            }
        }

        #expect(paths == Set(EndpointCase.all.compactMap { $0.name.split(separator: " ").last.map(String.init) }))
    }

    @Test("has a route in the sandbox, which asks for a token", arguments: EndpointCase.all)
    func route(endpoint: EndpointCase) async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        let stranger = ExistAPI(token: "wrong", baseURL: exist.sandbox.baseURL, retry: .never)

        let problem = await endpoint.call(exist.existAPI).failure().map(ExistError.init)
        let refusal = await endpoint.call(stranger).failure().map(ExistError.init)

        let request = try #require(exist.sandbox.server.requests.first)
        let path = request.path.replacingOccurrences(of: "/api/2/", with: "/").dropFirst()
        #expect("\(request.method) \(path)" == endpoint.name)
        #expect(endpoint.needsToken ? problem == nil : problem?.kind != .notFound)
        #expect(!endpoint.needsToken || refusal?.kind == .unauthorized)
    }

    @Test("has samples, which it reads", arguments: EndpointCase.all)
    func samples(endpoint: EndpointCase) async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        #expect(!endpoint.samples.isEmpty)
        for sample in endpoint.samples {
            try exist.answer("", sample: sample)

            let problem = await endpoint.call(exist.existAPI).failure()

            #expect(problem == nil, "\(sample)")
        }
        #expect(exist.unreadable.all.isEmpty && exist.targets.count == endpoint.samples.count)
    }

    @Test("still gives all others of a list with one broken item", arguments: EndpointCase.all)
    func brokenItems(endpoint: EndpointCase) throws {
        for sample in endpoint.samples { try endpoint.checkBroken(sample) }
    }

    @Test("says that it cannot read a reply of another shape", arguments: EndpointCase.all)
    func unreadable(endpoint: EndpointCase) async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        exist.answer("", "[7]")

        let problem = await endpoint.call(exist.existAPI).failure()

        #expect(problem.map { ExistError($0).kind } == .unreadable)
    }

    @Test("has its parameters tested", arguments: EndpointCase.all.filter(\.needsToken))
    func parameters(endpoint: EndpointCase) {
        let start = endpoint.name.replacingOccurrences(of: " ", with: " /api/2/")
        #expect(
            EveryParameterTests.all.contains {
                $0.sent == start || ["\(start)?", "\(start) "].contains(where: $0.sent.hasPrefix)
            })
    }

    @Test("is in the documentation", arguments: EndpointCase.all)
    func topic(endpoint: EndpointCase) throws {
        let page = try String(
            contentsOf: Self.root.appendingPathComponent("ExistKit.docc/ExistKit.md"), encoding: .utf8)
        #expect(page.contains("| `\(endpoint.name)` | ``"))
    }
}
