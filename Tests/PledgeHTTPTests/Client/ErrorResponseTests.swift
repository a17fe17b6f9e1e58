import Foundation
import PledgeHTTP
import PledgeSandbox
import PledgeTestSupport
import Testing

@Suite("The response of a failed call", .serialized)
final class ErrorResponseTests: ThingSuite {
    private struct Refusal: Decodable, Error, Equatable {
        struct Problem: Decodable, Equatable {
            var code: String
            var fieldName: String
        }

        var errors: [Problem]
    }

    private static let refusal: ServerJSON = ["errors": [["code": "already_exists", "field_name": "title"]]]
    private static let problem = Refusal(errors: [.init(code: "already_exists", fieldName: "title")])

    @Test(
        "A thrown error has the response's status and headers, and its body can be decoded as the service's own error")
    func decoded() async throws {
        let error = try await failure(
            .json(Self.refusal, status: 422, headers: ["X-Request": "7"]), by: .bearer("already"))
        #expect(error.status == 422 && error.response?.headers["X-Request"] == "7")
        #expect(try error.response?.json(Refusal.self, by: .snakeCase).errors.first?.fieldName == "title")
        #expect(!"\(error)\(String(reflecting: error))".contains("already_exists"))
    }

    @Test(
        "If decoding fails or the decoding closure throws its own error, the call's error has the response's status"
    )
    func typed() async throws {
        things.respond(.json(Self.refusal, status: 422), .json(["ok": 7]))
        var endpoint = Endpoint(.get, "thing/") { response, _ -> ThingServer.Thing in
            throw try response.json(Refusal.self, by: .snakeCase)
        }
        endpoint.accepts = { $0.status == 422 }
        let error = await things.client().send(endpoint).failure() as? ExchangeError
        guard case .other(let thrown as Refusal)? = error?.reason else { throw error ?? Fault.one }
        #expect(thrown == Self.problem && error?.status == 422 && error?.response?.body.isEmpty == false)
        let unreadable = await things.client().get().failure() as? ExchangeError
        #expect(unreadable?.kind == .unreadable && unreadable?.status == 200)
    }

    @Test("If a decoding closure throws an error with a secret of the response, the error is kept but not printed")
    func thrownSecrets() async throws {
        struct Unexpected: Error, CustomStringConvertible { var description: String }
        for (text, isShown) in [
            (#"no user in {"password": "kqzx"}"#, false), ("kqzx has no user", true),
            (#"Error Domain=kqzx Code=-260 "No user.""#, true),
        ] {
            things.respond(.json(["ok": true]))
            let endpoint = Endpoint<Bool>(.get, "thing/") { _, _ in throw Unexpected(description: text) }
            let error = try #require(await things.client().send(endpoint).failure() as? ExchangeError)
            guard case .other(let thrown as Unexpected) = error.reason else { throw error }
            #expect(thrown.description == text && printed(error).contains("kqzx") == isShown, "\(error)")
        }
    }

    @Test("An error keeps a response body of up to 64 KiB, and drops a larger one")
    func size() async throws {
        for (count, kept) in [(64 << 10, 64 << 10), (64 << 10 + 1, 0)] {
            let error = try await failure(ServerResponse(status: 400, body: Data(count: count)))
            #expect(error.response?.body.count == kept && error.status == 400)
        }
    }

    @Test("In an error's JSON body, each string with a secret is hidden; a body with a secret elsewhere is dropped")
    func secrets() async throws {
        let body: ServerJSON = [
            "sent": "Bearer kqzx-78-kqzx-78", "kqzx-78-kqzx-78": 1, "code": "already_exists",
            "in": [["kqzx%2D78-kqzx-78"]],
        ]
        let error = try await failure(.json(body, status: 422), by: .bearer("kqzx-78-kqzx-78"))
        let shown = try #require(try error.response?.json([String: JSONValue].self))
        let expected: [String: JSONValue] = [
            "sent": .string("…"), "…": .integer(1), "code": .string("already_exists"),
            "in": .array([.array([.string("…")])]),
        ]
        #expect(shown == expected)
        let text = try await failure(.text("no kqzx-78-kqzx-78", status: 422), by: .bearer("kqzx-78-kqzx-78"))
        #expect(text.response?.body == Data())
        let number = try await failure(.json(["a": 7_878_787], status: 422), by: .bearer("7878787"))
        #expect(number.response?.body == Data())
    }

    @Test("If a token endpoint refuses to renew a call's token, the call's error has the endpoint's message")
    func tokenEndpoint() async throws {
        let issuer = LoopbackServer(routes: [
            ServerRoute("POST /token") { _ in
                .json(["error": "invalid_grant", "error_description": "It was revoked."], status: 400)
            }
        ])
        try issuer.start()
        defer { issuer.stop() }
        let app = OAuth2Client(tokenURL: issuer.baseURL.appendingPathComponent("token"), clientID: "app")
        let token = OAuth2Token(accessToken: "kqzx-a", refreshToken: "kqzx-r", expiresAt: .distantPast)
        let tokens = OAuth2TokenSource(token, in: Memory(token)) { app.refresh($0) }
        let error = await things.client(.source(tokens)).get().failure() as? ExchangeError
        #expect(error?.message == "invalid_grant: It was revoked.")
        #expect(error?.status == nil && error?.response == nil)
        let words = "thing/ failed: the service refused to renew the token, saying “invalid_grant: It was revoked”"
        #expect("\(error as Any)".contains(words))
    }

    /// A token store that always loads the same token and saves nothing.
    private final class Memory: OAuth2TokenStore {
        private let token: OAuth2Token
        init(_ token: OAuth2Token) { self.token = token }
        func load() -> Promise<OAuth2Token?> { .value(token) }
        func save(_ token: OAuth2Token) -> Promise<Void> { Promise() }
    }
}
