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

    private static func open(
        _ routes: [ServerRoute], send: (String, String) throws -> RawReply
    ) rethrows -> Set<String> {
        Set(
            try routes.filter { try send($0.method, target($0)).status != 401 }.map { "\($0.method) \($0.path)" })
    }

    @Test("Without a token, Exist responds only to requests for signing in")
    func exist() throws {
        let exist = try ExistSuite()
        let open = try Self.open(exist.sandbox.routes) { try exist.exchange($0, $1, as: "") }
        // The token endpoint also responds 401 to a client without its secret.
        #expect(
            open == [
                "POST /api/2/auth/simple-token/", "POST /api/1/auth/simple-token/", "GET /oauth2/authorize",
            ])
    }

    @Test("Without a token, MyDataHelps responds only for signing in, and with pages that request one themselves")
    func myDataHelps() throws {
        let myDataHelps = try MyDataHelpsSuite()
        let open = try Self.open(myDataHelps.sandbox.routes) { try myDataHelps.exchange($0, $1, as: "") }
        #expect(
            open == [
                "POST /identityserver/connect/token", "GET /external/authorize", "GET /survey",
            ])
    }
}
