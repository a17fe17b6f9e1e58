import ExistKit
import Foundation
import PledgeSandbox
import Testing

@Suite("Getting and renewing tokens", .serialized)
struct OAuthTests {
    private func oauth(
        _ sandbox: ExistSandbox, now: @escaping @Sendable () -> Date = { SandboxCase.noon }
    ) -> ExistOAuth {
        ExistOAuth(
            clientID: sandbox.clientID, clientSecret: sandbox.clientSecret, redirectURI: "http://localhost:8000/",
            baseURL: sandbox.baseURL, now: now)
    }

    @Test("A user is sent out, comes back with a code, and the code becomes tokens that work")
    func wholeWay() async throws {
        let sandbox = try ExistSandbox.start(now: { SandboxCase.noon }, timeZone: .gmt)
        defer { sandbox.stop() }
        let oauth = oauth(sandbox)
        let address = try #require(oauth.authorizeURL(scopes: [.read("mood"), .write("mood")], state: "a+b&c"))
        #expect(address.absoluteString.contains("scope=mood_read%20mood_write"))
        #expect(address.absoluteString.contains("state=a%2Bb%26c"))

        let reply = try await StandardTransport().send(OutgoingRequest(url: address)).value
        let redirect = try #require(reply.headers["Location"].flatMap { URL(string: $0) })
        let code = try oauth.code(from: redirect, state: "a+b&c")
        let token = try await oauth.token(for: code).value

        #expect(token.scopes?.sorted() == ["mood_read", "mood_write"])
        #expect(token.expiresAt == SandboxCase.noon.addingTimeInterval(31_535_999))
        let existAPI = ExistAPI(token: token.accessToken, baseURL: sandbox.baseURL)
        #expect(try await !existAPI.user().value.user.username.isEmpty)
        var printed = "\(token) \(String(reflecting: token)) \(oauth)"
        dump(token, to: &printed)
        dump(oauth, to: &printed)
        #expect(!printed.contains(token.accessToken) && !printed.contains(sandbox.clientSecret))
    }

    @Test("A redirect with an error, another state, or nothing is an error that says so")
    func redirects() throws {
        let sandbox = ExistSandbox(now: { SandboxCase.noon }, timeZone: .gmt)
        let oauth = ExistOAuth(clientID: "a", clientSecret: "b", redirectURI: "app://back")
        _ = sandbox
        func code(_ text: String) throws -> String {
            try oauth.code(from: try #require(URL(string: text)), state: "s")
        }

        #expect(try code("app://back?code=x&state=s") == "x")
        #expect(try code("app://back?code=x") == "x")
        #expect(throws: ExistOAuth.RedirectError.refused("access_denied")) {
            try code("app://back?error=access_denied")
        }
        #expect(throws: ExistOAuth.RedirectError.wrongState) { try code("app://back?code=x&state=t") }
        #expect(throws: ExistOAuth.RedirectError.notARedirect) { try code("app://back") }
    }

    @Test("Many calls with a token that has run out lead to one renewal, stored before any call uses it")
    func renewal() async throws {
        let sandbox = try ExistSandbox.start(now: { SandboxCase.noon }, timeZone: .gmt)
        defer { sandbox.stop() }
        let log = Locked<[String]>([])
        let old = ExistToken(
            accessToken: sandbox.token, refreshToken: sandbox.refreshToken, expiresAt: SandboxCase.noon)
        let source = ExistTokenSource(old, oauth: oauth(sandbox), now: { SandboxCase.noon }) { fresh in
            log.withLock { $0.append("stored") }
            #expect(fresh.refreshToken != nil)
            return Promise()
        }
        let existAPI = ExistAPI(source: source, baseURL: sandbox.baseURL)
        sandbox.server.script.next(.max, matching: "GET /api/2/accounts/profile/") { request in
            log.withLock { $0.append("used") }
            return nil
        }

        _ = try await when(fulfilled: (0..<20).map { _ in existAPI.user() }).value

        #expect(log.withLock { $0 } == ["stored"] + Array(repeating: "used", count: 20))
        #expect(sandbox.server.requests.filter { $0.path == "/oauth2/access_token" }.count == 1)
    }

    @Test("A refused token is renewed as well, and the old pair is void after that")
    func refused() async throws {
        let sandbox = try ExistSandbox.start(now: { SandboxCase.noon }, timeZone: .gmt)
        defer { sandbox.stop() }
        let old = ExistToken(accessToken: sandbox.token, refreshToken: sandbox.refreshToken)
        let source = ExistTokenSource(old, oauth: oauth(sandbox), now: { SandboxCase.noon }) { _ in Promise() }
        let existAPI = ExistAPI(source: source, baseURL: sandbox.baseURL)
        sandbox.expireToken(old.accessToken)

        #expect(try await !existAPI.user().value.user.username.isEmpty)

        let again = await oauth(sandbox).refresh(old).settled().value
        #expect(throws: ExistError.self) { try again.get() }
    }

    @Test("A simple token comes for a name and a password")
    func simple() async throws {
        let sandbox = try ExistSandbox.start(now: { SandboxCase.noon }, timeZone: .gmt)
        defer { sandbox.stop() }

        let token = try await ExistAPI.simpleToken(
            username: sandbox.username, password: sandbox.password, baseURL: sandbox.baseURL
        ).value

        #expect(token == sandbox.simpleToken)
    }
}
