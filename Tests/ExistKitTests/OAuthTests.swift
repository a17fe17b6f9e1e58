import ExistKit
import Foundation
import PledgeSandbox
import Testing

@Suite("Obtaining and renewing tokens", .serialized)
final class OAuthTests {
    private let sandbox: ExistSandbox
    private let oauth: ExistOAuth
    /// A token pair whose access token has just expired.
    private let old: ExistToken

    init() throws {
        sandbox = try ExistSandbox.start(now: { SandboxCase.noon }, timeZone: .gmt)
        oauth = ExistOAuth(
            clientID: sandbox.clientID, clientSecret: sandbox.clientSecret, redirectURI: "http://localhost:8000/",
            baseURL: sandbox.baseURL,
            options: ExistAPI.defaultOptions.with {
                ($0.clock, $0.timeout) = (.standing(at: SandboxCase.noon), 600)
            },
            makeState: { "a+b&c" })
        old = ExistToken(accessToken: sandbox.token, refreshToken: sandbox.refreshToken, expiresAt: SandboxCase.noon)
    }

    deinit { sandbox.stop() }

    @Test("A sign-in redirects back with a code, which is exchanged for a working token")
    func wholeWay() async throws {
        let signIn = try oauth.signIn(scopes: [.read("mood"), .write("mood")])
        #expect(signIn.address.absoluteString.contains("scope=mood_read%20mood_write"))
        #expect(signIn.address.absoluteString.contains("state=a%2Bb%26c"))
        let response = try await StandardTransport().send(OutgoingRequest(url: signIn.address, timeout: 600)).value
        let redirect = try #require(response.headers["Location"].flatMap { URL(string: $0) })
        let token = try await oauth.token(for: try signIn.code(from: redirect)).value
        #expect(token.scopes?.sorted() == ["mood_read", "mood_write"])
        #expect(token.expiresAt == SandboxCase.noon.addingTimeInterval(31_535_999))
        let existAPI = ExistAPI(token: token.accessToken, timeout: 600, baseURL: sandbox.baseURL)
        #expect(try await !existAPI.user().value.user.username.isEmpty)
    }

    @Test(
        "Only a redirect to the registered address, with the right state and exactly one code, yields the code",
        arguments: [
            ("https://my.app/back?code=x&state=s", nil), ("https://MY.app:443/back?state=s&code=x#y", nil),
            ("https://my.app/back?code=x", .wrongState), ("https://my.app/back?code=x&state=t", .wrongState),
            ("https://my.app/back?code=x&state=", .wrongState),
            ("https://my.app/back?code=x&state=s&state=s", .wrongState),
            ("https://my.app/back?code=x&state=s&state=t", .wrongState),
            ("https://my.app/back?code=x#state=s", .wrongState),
            ("https://my.app/back?code=x&State=s", .wrongState), ("https://my.app/back?code=x&state=s0", .wrongState),
            ("https://my.app/back?error=access_denied", .wrongState), ("https://my.app/back", .wrongState),
            ("https://my.app/back?state=s", .notARedirect), ("https://my.app/back?code=&state=s", .notARedirect),
            ("https://my.app/back?code=x&code=y&state=s", .notARedirect),
            ("https://my.app/back?error=x&error=y&state=s", .notARedirect),
            ("https://my.app/back?state=s&error=access_denied", .refused("access_denied")),
            ("https://my.app/back?state=s&error=access_denied&code=x", .refused("access_denied")),
            ("https://my.app/back?state=s&error=%1B%5B31mno%0D%0A%E2%80%AEway%00", .refused("[31mno way")),
            ("https://evil.app/back?code=x&state=s", .wrongAddress),
            ("http://my.app/back?code=x&state=s", .wrongAddress),
            ("https://my.app:8443/back?code=x&state=s", .wrongAddress),
            ("https://my.app/?code=x&state=s", .wrongAddress), ("https://my.app/back/?code=x&state=s", .wrongAddress),
            ("https://my.app/bac%6B?code=x&state=s", .wrongAddress),
            ("https://my.app.evil.app/back?code=x&state=s", .wrongAddress),
            ("app://my.app/back?code=x&state=s", .wrongAddress),
        ] as [(String, ExistOAuth.RedirectError?)])
    func redirects(redirect: String, refusal: ExistOAuth.RedirectError?) throws {
        let oauth = ExistOAuth(clientID: "a", clientSecret: "b", redirectURI: "https://my.app/back")
        let address = try #require(URL(string: redirect))
        if let refusal {
            #expect(throws: refusal) { try oauth.code(from: address, state: "s") }
        } else {
            #expect(try oauth.code(from: address, state: "s") == "x")
        }
    }

    @Test("A sign-in doesn't start without a state or over plain HTTP; a redirect without a state is rejected")
    func refusals() throws {
        let back = try #require(URL(string: "app://back?code=x&state="))
        let oauth = ExistOAuth(clientID: "a", clientSecret: "b", redirectURI: "app://back", makeState: { "" })
        let plain = ExistOAuth(
            clientID: "a", clientSecret: "b", redirectURI: "app://back",
            baseURL: try #require(URL(string: "http://127.0.0.1.evil.example/")))
        let nowhere = ExistOAuth(clientID: "a", clientSecret: "b", redirectURI: "")
        #expect(oauth.authorizeURL(scopes: [.read("mood")], state: "") == nil)
        #expect(plain.authorizeURL(scopes: [.read("mood")], state: "s") == nil)
        #expect(throws: ExistError.self) { try oauth.signIn(scopes: []) }
        #expect(throws: ExistError.self) { try plain.signIn(scopes: []) }
        #expect(throws: ExistOAuth.RedirectError.wrongState) { try oauth.code(from: back, state: "") }
        #expect(throws: ExistOAuth.RedirectError.wrongAddress) { try nowhere.code(from: back, state: "s") }
    }

    @Test("Each sign-in has its own state and accepts only a redirect with that state")
    func states() throws {
        let oauth = ExistOAuth(clientID: "a", clientSecret: "b", redirectURI: "app://back")
        let signIns = try (0..<100).map { _ in try oauth.signIn(scopes: [.read("mood")]) }
        #expect(Set(signIns.map(\.state)).count == 100)
        for signIn in signIns {
            #expect(signIn.state.count == 52 && signIn.address.absoluteString.hasSuffix("&state=\(signIn.state)"))
            let redirect = try #require(URL(string: "app://back?code=x&state=\(signIn.state)"))
            #expect(try signIn.code(from: redirect) == "x")
            if signIn.state != signIns[0].state {
                #expect(throws: ExistOAuth.RedirectError.wrongState) { try signIns[0].code(from: redirect) }
            }
        }
    }

    @Test("Many calls that find the token expired share one renewal, and the new token is stored before a call uses it")
    func renewal() async throws {
        let log = Locked<[String]>([])
        let source = ExistTokenSource(old, oauth: oauth) { fresh in
            log.withLock { $0.append("stored") }
            #expect(fresh.refreshToken != nil)
            return Promise()
        }
        let existAPI = ExistAPI(
            source: source, baseURL: sandbox.baseURL, options: ExistAPI.defaultOptions.with { $0.timeout = 600 })
        sandbox.server.script.next(.max, matching: "GET /api/2/accounts/profile/") { request in
            log.withLock { $0.append("used") }
            return nil
        }
        _ = try await when(fulfilled: (0..<20).map { _ in existAPI.user() }).value
        #expect(log.withLock { $0 } == ["stored"] + Array(repeating: "used", count: 20))
        #expect(sandbox.server.requests.filter { $0.path == "/oauth2/access_token" }.count == 1)
    }

    @Test(
        "A token lifetime that can't be read counts as an hour, and a lifetime that is sent as text is read",
        arguments: [
            ("\"soon\"", 3_600), ("true", 3_600), ("[]", 3_600), ("1e999", 3_600), ("\"nan\"", 3_600), ("\"120\"", 120),
            ("0", 0), ("null", nil),
        ] as [(String, Double?)])
    func lifetime(_ json: String, _ seconds: Double?) async throws {
        sandbox.server.script.next(
            matching: "/oauth2/access_token",
            respond: .text(#"{"access_token":"fresh","expires_in":\#(json)}"#))
        let token = try await oauth.token(for: "code").value
        #expect(token.expiresAt == seconds.map { SandboxCase.noon.addingTimeInterval($0) })
    }

    @Test("Signing in with an empty access token fails")
    func emptyToken() async throws {
        sandbox.server.script.next(
            2, matching: "/oauth2/access_token", respond: .json(["access_token": "", "token_type": "Bearer"]))
        sandbox.server.script.next(matching: "/api/2/auth/simple-token/", respond: .json(["token": ""]))
        let old = ExistToken(accessToken: sandbox.token, refreshToken: "old")
        await #expect(throws: ExistError.self) { try await oauth.token(for: "code").value }
        await #expect(throws: ExistError.self) { try await oauth.refresh(old).value }
        await #expect(throws: ExistError.self) {
            try await ExistAPI.simpleToken(username: "maya", password: "long enough", baseURL: sandbox.baseURL).value
        }
    }
}
