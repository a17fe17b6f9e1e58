import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeSandbox

@Suite("Authorization of routes")
struct AuthorizationTests {
    /// Returns the path of a route with a value in place of each `{name}`.
    private static func target(_ route: ServerRoute) -> String {
        route.path.split(separator: "/", omittingEmptySubsequences: false)
            .map { $0.hasPrefix("{") ? "1" : String($0) }.joined(separator: "/")
    }

    @Test("Without a token, every route responds 401, except sign-in routes and pages that ask for a token themselves")
    func open() throws {
        let (exist, participants) = (try ExistSuite(), try MyDataHelpsSuite())
        let all =
            exist.sandbox.routes.map { (exist as SandboxSuite, $0) }
            + participants.sandbox.routes.map { (participants, $0) }
        let open = try all.filter { suite, route in
            try suite.exchange(route.method, Self.target(route), as: "").status != 401
        }.map { "\($1.method) \($1.path)" }
        // Exist's token endpoint also responds 401 to a client without its secret.
        let known: Set = [
            "POST /api/2/auth/simple-token/", "POST /api/1/auth/simple-token/", "GET /oauth2/authorize",
            "POST /identityserver/connect/token", "GET /external/authorize", "GET /survey",
        ]
        #expect(Set(open) == known)
    }

    @Test("If a sandbox has a key, all its tokens and secrets end with that key, and well-known tokens open nothing")
    func keys() throws {
        let (exist, participants) = (ExistSandbox(key: "-k3y"), MyDataHelpsSandbox(key: "-k3y"))
        let (known, person) = (ExistSandbox(), MyDataHelpsSandbox())
        let open = ["username", "clientID", "participantID", "participantIdentifier", "projectID"]
        for child in [Mirror(reflecting: exist), Mirror(reflecting: participants)].flatMap({ Array($0.children) }) {
            guard let text = child.value as? String, !open.contains(child.label ?? "") else { continue }
            #expect(text.hasSuffix("-k3y"), "\(child.label ?? "")")
        }
        #expect(ParticipantAccess(now: { Date() }, key: "-k3y").newToken("service").hasSuffix("-k3y"))
        let server = LoopbackServer(routes: exist.routes + participants.routes)
        try server.start()
        let suite = SandboxSuite(server, Protected(SandboxSuite.noon))
        for credential in ["Bearer \(known.token)", "Token \(known.simpleToken)", "Bearer \(person.token)"] {
            for route in exist.routes + participants.routes where route.path.contains("/api/") {
                let isSigningIn = route.path.contains("simple-token")
                let status = try suite.exchange(route.method, Self.target(route), as: credential).status
                #expect(status == (isSigningIn ? 400 : 401), "\(route.method) \(route.path)")
            }
        }
        // A response to a caller without a token never contains the key, not even in the code that anyone can get.
        let consent = "client_id=\(exist.clientID)&response_type=code&scope=mood_read&redirect_uri=https://x/"
        let asked = try suite.exchange("GET", "/oauth2/authorize?\(consent)", as: "")
        #expect(asked.status == 302 && !"\(asked)".contains("k3y"), "\(asked)")
        for route in exist.routes + participants.routes {
            let response = try suite.exchange(route.method, Self.target(route), as: "")
            #expect(!"\(response)".contains("k3y"), "\(route.path): \(response)")
        }
        func refresh(_ token: String, _ secret: String) throws -> ResponseBytes {
            try suite.form(
                "/oauth2/access_token",
                "grant_type=refresh_token&refresh_token=\(token)&client_id=\(exist.clientID)&client_secret=\(secret)")
        }
        #expect(try refresh(known.refreshToken, known.clientSecret).status == 401)
        #expect(try refresh(known.refreshToken, exist.clientSecret).status == 400)
        #expect(try refresh(exist.refreshToken, exist.clientSecret).body.components(separatedBy: "-k3y\"").count == 3)
        let password = "username=\(known.username)&password=\(known.password)"
        #expect(try suite.form("/api/2/auth/simple-token/", password).status == 400)
    }
}
