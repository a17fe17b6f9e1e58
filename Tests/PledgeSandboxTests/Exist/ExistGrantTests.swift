import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeSandbox

@Suite("OAuth 2 in the Exist sandbox", .serialized)
final class ExistGrantTests: ExistSuite {
    private let client = "client_id=sandbox-client&client_secret=sandbox-secret"

    private func grant(_ body: String) throws -> ResponseBytes { try form("/oauth2/access_token", body) }

    private func authorize(_ query: String) throws -> [String: String] {
        let response = try exchange("GET", "/oauth2/authorize?\(query)", as: "")
        #expect(response.status == 302)
        let items = URLComponents(string: response.headers["location"] ?? "")?.queryItems ?? []
        return Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first }
    }

    @Test("An authorization yields a code that can be exchanged once for tokens with the requested scopes")
    func code() throws {
        let answer = try authorize(
            "response_type=code&client_id=sandbox-client&redirect_uri=app://back?x%3D1&scope=mood_read+mood_write&state=a%2Bb%20c"
        )
        #expect(answer["x"] == "1" && answer["state"] == "a+b c")
        let code = try #require(answer["code"])
        let body = "grant_type=authorization_code&code=\(code)&\(client)&redirect_uri=app%3A%2F%2Fback%3Fx%3D1"
        let response = try grant(body)
        #expect(response.status == 200 && response.headers["cache-control"] == "no-store")
        #expect(response.json["token_type"] == "Bearer" && response.json["expires_in"] == 31_535_999)
        #expect(response.json["scope"] == "mood_read mood_write")
        let token = try #require(response.json["access_token"].string)
        #expect(token.count == 40)
        #expect(try get("attributes/", as: "Bearer \(token)").json["count"] == 4)
        let again = try grant(body)
        #expect(again.status == 400 && again.json["error"] == "invalid_grant")
    }

    @Test(
        "The error of an authorization is reported to the redirect address",
        arguments: [
            ("response_type=code&client_id=nobody&scope=mood_read", "unauthorized_client"),
            ("response_type=token&client_id=sandbox-client&scope=mood_read", "unsupported_response_type"),
            ("response_type=code&client_id=sandbox-client&scope=read", "invalid_scope"),
            ("response_type=code&client_id=sandbox-client", "invalid_scope"),
        ])
    func faults(query: String, error: String) throws {
        let answer = try authorize("\(query)&redirect_uri=https://a.test/&state=s")
        #expect(answer == ["error": error, "state": "s"])
    }

    @Test("Authorization codes are random, so no two are the same")
    func drawnCodes() throws {
        let codes = try (0..<50).map { _ in try newCode() }
        #expect(Set(codes).count == 50 && codes.allSatisfy { $0.count == 40 })
    }

    @Test(
        "A code is sent only to an https address, an app, or this machine; the request's Host field must name this machine"
    )
    func whereTo() throws {
        let query = "response_type=code&client_id=sandbox-client&scope=mood_read&redirect_uri="
        for (address, status) in [
            ("https://a.test/", 302), ("app://a", 302), ("http://127.0.0.1:1/", 302), ("http://[::1]/", 302),
            ("http://localhost:1/a", 302), ("http://a.test/", 400), ("http://127.0.0.1.a.test/", 400), ("/a", 400),
            ("https://a.test/%23b", 400), ("http://ann@localhost/", 400),
        ] {
            #expect(try exchange("GET", "/oauth2/authorize?\(query)\(address)", as: "").status == status, "\(address)")
        }
        let target = "/oauth2/authorize?\(query)app://a"
        for (host, status) in [
            ("localhost:80", 302), ("[::1]:80", 302), ("127.0.0.1", 302), ("a.test", 421), ("127.0.0.1.a.test", 421),
        ] {
            let response = try RawClient(sandbox.baseURL).ask("GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
            #expect(response?.status == status, "\(host)")
        }
    }

    @Test("A refresh invalidates the old access token and the old refresh token")
    func refresh() throws {
        func refresh(_ token: String) throws -> ResponseBytes {
            try grant("grant_type=refresh_token&refresh_token=\(token)&\(client)")
        }
        let first = try refresh(sandbox.refreshToken)
        let token = try #require(first.json["access_token"].string)
        #expect(try get("insights/").status == 401)
        #expect(try refresh(sandbox.refreshToken).status == 400)
        #expect(try get("insights/", as: "Bearer \(token)").status == 200)
        let second = try refresh(try #require(first.json["refresh_token"].string))
        #expect(try get("insights/", as: "Bearer \(token)").status == 401)
        #expect(second.json["access_token"] != first.json["access_token"])
    }

    @Test("A token expires after a year, or when a test asks for it, and can then be refreshed")
    func expiry() throws {
        let body = "grant_type=refresh_token&refresh_token=\(sandbox.refreshToken)&\(client)"
        sandbox.expireToken(sandbox.token)
        #expect(try get("accounts/profile/").status == 401)
        let token = try #require(try grant(body).json["access_token"].string)
        advance(31_535_998)
        #expect(try get("accounts/profile/", as: "Bearer \(token)").status == 200)
        advance(1)
        #expect(try get("accounts/profile/", as: "Bearer \(token)").status == 401)
    }

    private func newCode() throws -> String {
        try #require(
            authorize(
                "response_type=code&client_id=sandbox-client&redirect_uri=https://a.test/&scope=mood_read")["code"])
    }

    @Test("A code is valid for ten minutes; its exchange may omit the redirect address, but not change it")
    func codes() throws {
        let address = "&redirect_uri=https://a.test/"
        for (seconds, end, status) in [
            (599.0, address, 200), (600, address, 400), (0, "", 200), (0, "&redirect_uri=https://b.test/", 400),
            (0, "&redirect_uri=", 400),
        ] {
            let body = "grant_type=authorization_code&code=\(try newCode())&\(client)\(end)"
            advance(seconds)
            #expect(try grant(body).status == status, "\(seconds) \(end)")
        }
        #expect(try grant("grant_type=password&\(client)").status == 400)
    }

    @Test("A client may send its credentials in a header, and end the path with a slash; wrong credentials are refused")
    func basic() throws {
        let form = try grant("grant_type=refresh_token&client_id=sandbox-client&client_secret=x")
        #expect(form.status == 401 && form.json["error"] == "invalid_client")
        func ask(_ pair: String, _ path: String) throws -> ResponseBytes {
            try exchange(
                "POST", path, as: "Basic \(Data(pair.utf8).base64EncodedString())",
                "grant_type=authorization_code&code=\(newCode())", type: "application/x-www-form-urlencoded")
        }
        for path in ["/oauth2/access_token", "/oauth2/access_token/"] {
            #expect(try ask("sandbox-client:sandbox-secret", path).status == 200)
            // According to the standard, the client's ID and secret are encoded as in a form before they are joined.
            #expect(try ask("sandbox%2Dclient:sandbox%2dsecret", path).status == 200)
            for wrong in ["sandbox-client:guess", "sandbox-client", "sandbox-client:", "a:b:c", ":", "", "%:%"] {
                let response = try ask(wrong, path)
                #expect(response.status == 401 && response.json["error"] == "invalid_client", "\(wrong)")
                #expect(response.headers["www-authenticate"] == "Basic realm=\"api\"")
            }
        }
    }
}
