import ExistKit
import Foundation
import PledgeTestSupport
import Testing

@Suite("Documentation samples: tokens", .serialized)
struct AccountSampleTests {
    private let exist: SandboxCase
    init() throws { exist = try SandboxCase() }

    @Test("A code is exchanged for tokens, which are then renewed")
    func tokens() async throws {
        let oauth = ExistOAuth(
            clientID: "a", clientSecret: "b", redirectURI: "app://back", baseURL: exist.sandbox.baseURL,
            options: ExistAPI.defaultOptions.with { $0.clock = .standing(at: SandboxCase.noon) })
        try exist.answer("POST /oauth2/access_token", sample: "auth_oauth_token_200")
        try exist.answer("POST /oauth2/access_token", sample: "auth_oauth_refresh_200")
        let first = try await oauth.token(for: "code").value
        let second = try await oauth.refresh(first).value
        #expect(first.accessToken == "9b2c41d7e0f34a5586a1c3d4e5f60718293a4b5c")
        #expect(first.refreshToken == "c4d3e2f1a0b9485766778899aabbccddeeff0011")
        #expect(first.scopes == ["mood_read", "mood_write", "custom_read", "custom_write"])
        #expect(first.expiresAt == SandboxCase.noon.addingTimeInterval(31_535_999))
        #expect(second.accessToken == "1f0e9d8c7b6a59483726150413223140a5b6c7d8")
        #expect(second.refreshToken == "77e6d5c4b3a29180f1e2d3c4b5a6978869504132")
        let forms = exist.sandbox.server.requests.map { String(decoding: $0.body, as: UTF8.self) }
        #expect(
            forms == [
                "grant_type=authorization_code&code=code&redirect_uri=app%3A%2F%2Fback&client_id=a&client_secret=b",
                "grant_type=refresh_token&refresh_token=c4d3e2f1a0b9485766778899aabbccddeeff0011"
                    + "&client_id=a&client_secret=b",
            ])
    }

    @Test("A user name and a password are exchanged for a simple token, with the options of the call")
    func simpleToken() async throws {
        try exist.answer("POST /api/2/auth/simple-token/", sample: "auth_simple_token_200")
        let token = try await ExistAPI.simpleToken(
            username: "maya k", password: "a&b=c+d", baseURL: exist.sandbox.baseURL,
            options: ExistAPI.defaultOptions.with { $0.headers = ["X-App": "of its own"] }
        ).value
        #expect(token == "5e1fd0c7a9b84e6d93c2b7f1046ad8e235cc9071")
        let request = try #require(exist.sandbox.server.requests.first)
        #expect(String(decoding: request.body, as: UTF8.self) == "username=maya%20k&password=a%26b%3Dc%2Bd")
        #expect(request.headers["Content-Type"]?.hasPrefix("application/x-www-form-urlencoded") == true)
        #expect(request.headers["Authorization"] == nil && request.headers["X-App"] == "of its own")
    }

    @Test("Every sample from the documentation is used by a test")
    func complete() throws {
        let sources = try Repository.paths(below: "Tests/ExistKitTests", ending: ".swift")
            .map { try Repository.text("Tests/ExistKitTests/\($0)") }.joined()
        let names = Repository.paths(below: "Tests/ExistKitTests/Fixtures", ending: ".json").map { $0.dropLast(5) }
        #expect(names.count >= 40)
        for name in names { #expect(sources.contains("\"\(name)\""), "no test reads \(name)") }
    }
}
