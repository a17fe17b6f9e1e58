import Foundation
import PledgeHTTP
import PledgeSandbox
import PledgeTestSupport
import Testing

@Suite("OAuth 2 at any service", .serialized)
struct OAuth2Tests {
    private let folder: TemporaryFolder
    private let clock = ManualTimekeeper(start: Date(timeIntervalSince1970: 1_700_000_000))
    private let issuer = TokenEndpoint()
    private let endpoint: LoopbackServer

    init() throws {
        folder = try TemporaryFolder()
        endpoint = LoopbackServer(routes: [ServerRoute("POST /oauth/token", respond: issuer.respond)])
        try endpoint.start()
    }

    private func service(
        secret: String? = "s3cret+/", _ authentication: OAuth2Client.Authentication = .form
    ) -> OAuth2Client {
        OAuth2Client(
            tokenURL: endpoint.baseURL.appendingPathComponent("oauth/token"), clientID: "an app", clientSecret: secret,
            authentication: authentication,
            options: EndpointClient.Options().with { ($0.clock, $0.timeout) = (clock.timekeeper, 600) })
    }

    private var store: OAuth2TokenFile { OAuth2TokenFile(URL(fileURLWithPath: folder.path("tokens.json"))) }

    private func source() -> OAuth2TokenSource {
        OAuth2TokenSource(in: store, clock: clock.timekeeper, renewing: service().refresh)
    }

    private func sign(in lifetime: TimeInterval = 0) async throws {
        let expires = clock.timekeeper.now().addingTimeInterval(lifetime)
        try await store.save(OAuth2Token(accessToken: "a0", refreshToken: "r0", expiresAt: expires)).value
    }

    @Test("An OAuth 2 client sends its ID and secret in the form or a header, or its ID alone; all values are escaped")
    func authentication() async throws {
        _ = try await service().token(["grant_type": "authorization_code", "code": "c"]).value
        _ = try await service(.header).token(["grant_type": "authorization_code"]).value
        let token = try await service(secret: nil).token(["grant_type": "authorization_code"]).value
        // A token counts as valid for an hour if the response's `expires_in` can't be read.
        #expect(token.expiresAt == clock.timekeeper.now().addingTimeInterval(3600))
        let client = EndpointClient(
            baseURL: endpoint.baseURL, options: EndpointClient.Options().with { $0.timeout = 600 })
        _ = try await OAuth2Client(client, path: "oauth/token", clientID: "b", clientSecret: "c").token([:]).value
        let forms = [
            "grant_type=authorization_code&code=c&client_id=an%20app&client_secret=s3cret%2B%2F",
            "grant_type=authorization_code", "grant_type=authorization_code&client_id=an%20app",
            "client_id=b&client_secret=c",
        ]
        #expect(endpoint.requests.map { String(decoding: $0.body, as: UTF8.self) } == forms)
        let basic = "Basic " + Data("an%20app:s3cret%2B%2F".utf8).base64EncodedString()
        #expect(endpoint.requests.map { $0.headers["Authorization"] } == [nil, basic, nil, nil])
    }

    @Test(
        "A renewal that ends after a sign-out, or after someone else's sign-in, leaves the store as it is",
        arguments: [nil, OAuth2Token(accessToken: "b0", refreshToken: "r0b")])
    func overtaken(later: OAuth2Token?) async throws {
        try await sign()
        let path = folder.path("tokens.json")
        let source = OAuth2TokenSource(in: store, clock: clock.timekeeper) { [store] old in
            service().refresh(old).then(on: nil) { fresh -> Promise<OAuth2Token> in
                guard let later else {
                    try FileManager.default.removeItem(atPath: path)
                    return .value(fresh)
                }
                return store.save(later).map(on: nil) { fresh }
            }
        }
        let result = await source.token().settled().value
        #expect(try await store.load().value == later)
        if later == nil {
            #expect(throws: CredentialError.signInNeeded) { try result.get() }
        } else {
            #expect(try result.get() == "b0")
        }
    }

    @Test("A token is renewed a minute before it expires", arguments: [60, 61])
    func leeway(lifetime: TimeInterval) async throws {
        try await sign(in: lifetime)
        #expect(try await (source().token().value == "a0") == (lifetime > 60))
    }

    @Test(
        "The token endpoint's URL is requested unchanged, with its query and its escapes",
        arguments: ["token?tenant=7", "a/token/?x=%2F", "a%20b/to%2Fken", "token", "?a=b"])
    func address(end: String) async throws {
        let url = try #require(URL(string: end, relativeTo: endpoint.baseURL))
        _ = try? await OAuth2Client(tokenURL: url, clientID: "a").token([:]).value
        #expect(endpoint.requests.map(\.target) == ["/" + end])
    }

    @Test(
        "Token sources that share a file renew an expired token once, and all return the new token",
        arguments: [true, false])
    func shared(rotates: Bool) async throws {
        issuer.rotates.withLock { $0 = rotates }
        try await sign()
        let sources = (0..<4).map { _ in source() }
        let tokens = try await when(fulfilled: (0..<20).map { sources[$0 % 4].token() }).value
        #expect(Set(tokens) == ["a1"])
        #expect(issuer.renewals == 1)
        let stored = try await store.load().value
        #expect(stored?.refreshToken == (rotates ? "r1" : "r0"))
        #expect(folder.mode("tokens.json") == 0o600)
    }

    @Test("A rejected token is replaced by a newer token in the shared store, or renewed if the store has none")
    func rejected() async throws {
        try await sign(in: 3600)
        let (one, other) = (source(), source())
        #expect(try await [one.token().value, other.token().value] == ["a0", "a0"])
        #expect(try await one.token(replacing: "a0").value == "a1")
        #expect(try await other.token(replacing: "a0").value == "a1")
        #expect(issuer.renewals == 1)
    }

    @Test("A token is renewed a minute before it expires, but a new token is used for at least 10 seconds")
    func skew() async throws {
        issuer.lifetime.withLock { $0 = 0 }
        try await sign(in: 60)
        let source = source()
        for _ in 0..<3 { #expect(try await source.token().value == "a1") }
        clock.advance(by: 10)
        #expect(try await source.token().value == "a2")
        issuer.lifetime.withLock { $0 = 100 }
        clock.advance(by: 10)
        #expect(try await source.token().value == "a3")
        clock.advance(by: 39)
        #expect(try await source.token().value == "a3")
        clock.advance(by: 1)
        #expect(try await source.token().value == "a4")
    }

    @Test("If the token file has no tokens, the error asks the user to sign in, and the file isn't changed")
    func nothing() async throws {
        let source = source()
        await #expect(throws: CredentialError.signInNeeded) { try await source.token().value }
        try folder.file("tokens.json", holding: #"{"secret-token-1"}"#)
        let error = await source.token().failure()
        #expect("\(error as Any)".contains("has no tokens: remove it, and sign in again"))
        #expect("\(error as Any)".contains("secret-token-1") == false)
        #expect(folder.text("tokens.json") == #"{"secret-token-1"}"#)
        let unreadable = await OAuth2TokenFile(folder.url).load().failure()
        #expect("\(unreadable as Any)".contains("cannot be read: check its permissions"))
        #expect(endpoint.requests.isEmpty)
    }

    @Test("A token file that names a service is refused for another service; one that names no service works for any")
    func origin() async throws {
        let file = URL(fileURLWithPath: folder.path("tokens.json"))
        let (own, other) = (URL(string: "https://a.example/token"), URL(string: "http://a.example/token"))
        try await OAuth2TokenFile(file).save(OAuth2Token(accessToken: "a0", refreshToken: "r0")).value
        for (service, token) in [(nil, "a1"), (own, "a2"), (own, "a3"), (nil, "a4")] {
            let store = OAuth2TokenFile(file, for: service)
            #expect(try await store.load().value?.accessToken.hasPrefix("a") == true)
            try await store.save(OAuth2Token(accessToken: token, scopes: ["b"])).value
            #expect(try await store.load().value == OAuth2Token(accessToken: token, scopes: ["b"]))
        }
        let before = folder.text("tokens.json")
        let source = OAuth2TokenSource(in: OAuth2TokenFile(file, for: other)) { _ in
            Issue.record("renewed")
            return .value(OAuth2Token(accessToken: "a5"))
        }
        let error = try #require(await source.token().failure())
        #expect("\(error)".hasSuffix("has tokens of https://a.example, not of http://a.example: choose another file."))
        let first = OAuth2TokenFile(file, for: other).save(OAuth2Token(accessToken: "a6"))
        #expect("\(await first.failure() as Any)".contains("has tokens of https://a.example"))
        #expect(folder.text("tokens.json") == before)
    }

    @Test(
        "A token isn't renewed if its store isn't writable; if saving a new token fails, the token is still used"
    )
    func unstored() async throws {
        final class Full: OAuth2TokenStore {
            let canSave = Locked(false)
            let isWritable = Locked(false)
            func load() -> Promise<OAuth2Token?> { .value(OAuth2Token(accessToken: "a0", refreshToken: "r0")) }
            func save(_ token: OAuth2Token) -> Promise<Void> {
                canSave.withLock { $0 } ? Promise() : Promise(error: Fault.two)
            }
            func checkWritable() -> Promise<Void> { isWritable.withLock { $0 } ? Promise() : Promise(error: Fault.one) }
        }
        let store = Full()
        let source = OAuth2TokenSource(in: store, clock: clock.timekeeper, renewing: service().refresh)
        await #expect(throws: Fault.one) { try await source.token(replacing: "a0").value }
        #expect(issuer.renewals == 0)
        store.isWritable.withLock { $0 = true }
        await #expect(throws: Fault.two) { try await source.token(replacing: "a0").value }
        #expect(try await source.token().value == "a1")
        store.canSave.withLock { $0 = true }
        #expect(try await source.token(replacing: "a1").value == "a2")
    }

    @Test("The error of a refused renewal quotes the service, and the refused refresh token isn't sent again")
    func refused() async throws {
        try await sign()
        issuer.answer.withLock {
            $0 = .json(["error": "invalid_grant", "error_description": "It has ended."], status: 400)
        }
        let source = source()
        let client = EndpointClient(baseURL: endpoint.baseURL, authorizer: .source(source))
        for _ in 0..<2 {
            let error = try #require(await client.send(Endpoint<Void>(.get, "data")).failure() as? ExchangeError)
            #expect(error.kind == .unauthorized && error.attempts == 0)
            let words =
                "the service refused to renew the token, saying “invalid_grant: It has ended”. Let the user sign in"
            #expect(error.description.contains(words), "\(error)")
        }
        #expect(endpoint.requests.count == 1)
        issuer.answer.withLock { $0 = nil }
        try await store.save(OAuth2Token(accessToken: "b0", refreshToken: "r0b")).value
        #expect(try await source.token().value == "b0")
    }

    @Test(
        "A renewal that fails without `invalid_grant` has the error kind of its cause, and the next call tries again",
        arguments: [
            (.json(["error": "temporarily_unavailable"], status: 400), .rejected), (.empty(503), .serviceFault),
            (.json(["error": "temporarily_unavailable", "message": "Later."], status: 400), .rejected),
            (.json(["error": "invalid_client"], status: 401), .unauthorized), (.empty(403), .forbidden),
            (.empty(429), .rateLimited), (ServerResponse.text("<html>", status: 400), .rejected),
        ] as [(ServerResponse, FailureKind)])
    func passing(answer: ServerResponse, kind: FailureKind) async throws {
        var answer = answer
        if answer.body.starts(with: Data("<".utf8)) { answer.headers["Content-Type"] = "text/html" }
        try await sign()
        issuer.answer.withLock { [answer] in $0 = answer }
        let source = source()
        let client = EndpointClient(baseURL: endpoint.baseURL, authorizer: .source(source))
        let error = try #require(await client.send(Endpoint<Void>(.get, "data")).failure() as? ExchangeError)
        #expect(error.kind == kind, "\(error)")
        issuer.answer.withLock { $0 = nil }
        #expect(try await source.token().value == "a1")
    }

    @Test("An error that a token endpoint reports with status 200 counts as a refusal, and its message is shown")
    func errorWithSuccess() async throws {
        issuer.answer.withLock { $0 = .json(["error": "bad_refresh_token", "error_description": "It is wrong."]) }
        let error = try #require(await service().token([:]).failure() as? ExchangeError)
        #expect(error.status == 200 && error.kind == .rejected)
        #expect("\(error)".contains("the service answered 200, saying “bad_refresh_token: It is wrong”"))
        try await sign()
        let refusal = CredentialError.renewalRefused(message: "bad_refresh_token: It is wrong.")
        await #expect(throws: refusal) { try await source().token().value }
    }

    @Test(
        "The scopes in a token response may be separated by spaces or commas",
        arguments: [("read write", ["read", "write"]), ("repo,gist, user", ["repo", "gist", "user"]), ("", [])])
    func scopes(text: String, scopes: [String]) async throws {
        issuer.answer.withLock { $0 = .json(["access_token": "a", "scope": .string(text)]) }
        #expect(try await service().token([:]).value.scopes == scopes)
    }

    @Test("Unknown members of a token response are stored; a renewal replaces only those that its response contains")
    func otherMembers() async throws {
        issuer.answer.withLock {
            $0 = .json([
                "access_token": "a0", "refresh_token": "r0", "token_type": "Bearer", "scope": "read", "expires_in": 0,
                "instance_url": "https://eu.example/", "id_token": "x.y.z", "nothing": nil, "limits": ["day": 7],
            ])
        }
        let token = try await service().token([:]).value
        let others: [String: JSONValue] = [
            "instance_url": .string("https://eu.example/"), "id_token": .string("x.y.z"),
            "limits": .object(["day": .integer(7)]),
        ]
        #expect(token.otherMembers == others)
        #expect(!printed(token).contains("x.y.z"))
        try await store.save(token).value
        issuer.answer.withLock { $0 = .json(["access_token": "a1", "id_token": "new"]) }
        #expect(try await source().token().value == "a1")
        let kept = try await store.load().value
        #expect(kept?.otherMembers == others.merging(["id_token": .string("new")]) { $1 } && kept?.scopes == ["read"])
        #expect(kept?.refreshToken == "r0")
    }

    @Test(
        "A source without a user fetches its first and later tokens itself, and keeps them in memory or a shared store")
    func clientCredentials() async throws {
        let asked = Counter()
        func source(in store: (any OAuth2TokenStore)? = nil) -> OAuth2TokenSource {
            OAuth2TokenSource(in: store, clock: clock.timekeeper) { [clock] in
                let date = clock.timekeeper.now().addingTimeInterval(3600)
                return .value(OAuth2Token(accessToken: "own-\(asked.next())", expiresAt: date))
            }
        }
        let own = source()
        for _ in 0..<2 { #expect(try await own.token().value == "own-1") }
        #expect(try await own.token(replacing: "own-1").value == "own-2")
        clock.advance(by: 3540)
        #expect(try await own.token().value == "own-3")
        let (one, other) = (source(in: store), source(in: store))
        #expect(try await [one.token().value, other.token().value] == ["own-4", "own-4"])
    }

    @Test("If the service also refuses a token that another process stored, the same call renews that token")
    func voidInStore() async throws {
        try await sign(in: 3600)
        let client = EndpointClient(baseURL: endpoint.baseURL, authorizer: .source(source()))
        endpoint.script.next(.max, matching: "GET /data") { request in
            let token = request.headers["Authorization"] ?? ""
            return token == "Bearer a0" || token == "Bearer a1" ? .json([:]) : .empty(401)
        }
        try await client.send(Endpoint<Void>(.get, "data")).asVoid().value
        try await store.save(OAuth2Token(accessToken: "void", refreshToken: "r0")).value
        endpoint.script.reset()
        endpoint.script.next(.max, matching: "GET /data") { request in
            request.headers["Authorization"] == "Bearer a1" ? .json([:]) : .empty(401)
        }
        try await client.send(Endpoint<Void>(.get, "data")).asVoid().value
        #expect(
            endpoint.requests.compactMap { $0.headers["Authorization"] }.suffix(3) == [
                "Bearer a0", "Bearer void", "Bearer a1",
            ])
    }

    @Test("After a 403, a token is renewed only if the authorizer's `renewingAfter` contains 403")
    func forbidden() async throws {
        try await sign(in: 3600)
        endpoint.script.next(.max, matching: "GET /data") { request in
            request.headers["Authorization"] == "Bearer a0" ? .empty(403) : .json([:])
        }
        func call(_ authorizer: Authorizer) -> Promise<Void> {
            EndpointClient(baseURL: endpoint.baseURL, authorizer: authorizer).send(Endpoint<Void>(.get, "data"))
                .asVoid()
        }
        #expect((await call(.source(source())).failure() as? ExchangeError)?.status == 403)
        try await call(.source(source(), renewingAfter: [401, 403])).value
        #expect(issuer.renewals == 1)
        endpoint.script.reset()
        endpoint.script.next(.max, matching: "GET /data", respond: .empty(403))
        let error = await call(.source(source(), renewingAfter: [401, 403])).failure() as? ExchangeError
        #expect("\(error as Any)".contains("refuses new tokens as well"), "\(error as Any)")
    }
}

/// A token endpoint. If `rotates` is true, each renewal returns a new refresh token, and each refresh token works only
/// once.
private final class TokenEndpoint: Sendable {
    let rotates = Locked(true)
    /// The response to send instead of a new pair of tokens.
    let answer = Locked<ServerResponse?>(nil)
    let lifetime = Locked(3600)
    private let count = Locked(0)

    var renewals: Int { count.withLock { $0 } }

    func respond(_ request: ServerRequest) -> ServerResponse {
        if let answer = answer.withLock({ $0 }) { return answer }
        let form = String(decoding: request.body, as: UTF8.self)
        guard form.contains("grant_type=refresh_token") else {
            return .json(["access_token": "new", "expires_in": []])
        }
        let (rotates, lifetime) = (rotates.withLock { $0 }, lifetime.withLock { $0 })
        let (old, new) = count.withLock { count in
            defer { count += 1 }
            return (rotates ? count : 0, count + 1)
        }
        guard form.contains("refresh_token=r\(old)&") else { return .json(["error": "invalid_grant"], status: 400) }
        return .json([
            "access_token": .string("a\(new)"), "expires_in": .number(Double(lifetime)),
            "refresh_token": .string(rotates ? "r\(new)" : ""),
        ])
    }
}
