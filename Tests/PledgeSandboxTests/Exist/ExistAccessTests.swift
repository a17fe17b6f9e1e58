import Foundation
import Testing

@testable import PledgeSandbox

@Suite("Access to the Exist sandbox", .serialized)
struct ExistAccessTests {
    private let bench: ExistBench

    init() throws {
        bench = try ExistBench()
    }

    @Test("Each of the two kinds of token is accepted with its own scheme")
    func schemes() throws {
        let (oauth, simple) = (bench.sandbox.token, bench.sandbox.simpleToken)
        for (credential, status) in [
            ("Bearer \(oauth)", 200), ("Token \(simple)", 200), ("Token \(oauth)", 401), ("Bearer \(simple)", 401),
            ("Bearer unknown", 401), ("", 401), (oauth, 401),
        ] {
            #expect(try bench.get("accounts/profile/", as: credential).status == status)
        }
        #expect(try bench.get("insights/", as: "Bearer x").json == ["detail": "Invalid token."])
    }

    @Test("A simple token cannot write")
    func readOnly() throws {
        let simple = "Token \(bench.sandbox.simpleToken)"
        for name in ["acquire", "release", "create", "update", "increment"] {
            #expect(try bench.post("attributes/\(name)/", [], as: simple).status == 403)
        }
        #expect(try bench.get("attributes/owned/", as: simple).status == 403)
        #expect(try bench.get("attributes/?limit=100", as: simple).json["count"] == 42)
    }

    @Test("A token can read only the groups of its scopes, and the others are omitted without notice")
    func readScopes() throws {
        bench.sandbox.addToken("narrow", scopes: ["mood_read", "activity_write"])
        bench.sandbox.addToken("tags", scopes: ["manual_read"])
        bench.sandbox.addToken("nothing", scopes: [])
        func groups(_ path: String, _ token: String) throws -> Set<String?> {
            Set(
                try bench.get(path, as: "Bearer \(token)").json["results"].array?.map { $0["group"]["name"].string }
                    ?? [])
        }
        #expect(try groups("attributes/", "narrow") == ["mood"])
        #expect(try groups("attributes/with-values/?groups=activity,mood", "narrow") == ["mood"])
        #expect(try groups("attributes/", "tags") == ["mood", "food", "custom"])
        for path in ["attributes/", "averages/", "insights/", "correlations/", "attributes/values/?attribute=mood"] {
            let reply = try bench.get(path, as: "Bearer nothing")
            #expect(reply.status == 200)
            #expect(reply.json["count"] == 0)
        }
        #expect(try bench.get("accounts/profile/", as: "Bearer nothing").status == 200)
        #expect(try bench.get("correlations/combo/?attribute=mood&attribute2=sleep", as: "Bearer narrow").status == 200)
        #expect(
            try bench.get("correlations/combo/?attribute=steps&attribute2=sleep", as: "Bearer narrow").status == 404)
        let subjects = try bench.get("insights/?limit=100", as: "Bearer narrow").json["results"].array ?? []
        #expect(Set(subjects.map { $0["type"]["attribute"]["name"] }) == ["mood"])
    }

    @Test("A token can write only where its scopes allow it")
    func writeScopes() throws {
        bench.sandbox.addToken("writer", scopes: ["activity_write"], client: "other")
        let reply = try bench.post(
            "attributes/acquire/", [["template": "steps"], ["template": "weight"], ["name": "guitar"]],
            as: "Bearer writer")
        #expect(reply.status == 202)
        #expect(reply.json["success"].count == 1)
        #expect(reply.json["failed"][0]["error"] == "No health_write scope")
        #expect(reply.json["failed"][1]["error_code"] == "unauthorised")
        bench.sandbox.addToken("manual", scopes: ["manual_write"], client: "other")
        #expect(try bench.post("attributes/acquire/", [["name": "guitar"]], as: "Bearer manual").status == 200)
    }

    @Test("Each token has a number of requests per hour; further ones get a 429 without a body")
    func rateLimit() throws {
        bench.sandbox.rateLimit = 2
        #expect(try bench.get("insights/").status == 200)
        bench.advance(1_800)
        #expect(try bench.get("insights/").status == 200)
        let refused = try bench.get("insights/")
        #expect(refused.status == 429)
        #expect(refused.body.isEmpty)
        #expect(try bench.get("insights/", as: "Token \(bench.sandbox.simpleToken)").status == 200)
        bench.advance(1_801)
        #expect(try bench.get("insights/").status == 200)
        #expect(try bench.get("insights/").status == 429)
        bench.sandbox.rateLimit = nil
        #expect(try bench.get("insights/").status == 200)
    }

    @Test("A user name and a password are exchanged for the simple token")
    func simpleToken() throws {
        let path = "/api/2/auth/simple-token/"
        let right = try bench.form(path, "username=maya&password=correct+horse")
        #expect(right.json["token"].string == bench.sandbox.simpleToken)
        let json = try bench.post("auth/simple-token/", ["username": "maya", "password": "correct horse"], as: "")
        #expect(json.json == right.json)
        #expect(try bench.form(path, "username=maya&password=wrong").status == 400)
        let missing = try bench.form(path, "username=maya")
        #expect(missing.status == 400)
        #expect(missing.json == ["password": ["This field is required."]])
    }
}
