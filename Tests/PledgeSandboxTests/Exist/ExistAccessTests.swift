import Foundation
import Testing

@testable import PledgeSandbox

@Suite("Access to the Exist sandbox", .serialized)
final class ExistAccessTests: ExistSuite {
    @Test("Each of the two kinds of token is accepted only with its own authorization scheme")
    func schemes() throws {
        let (oauth, simple) = (sandbox.token, sandbox.simpleToken)
        for (credential, status) in [
            ("Bearer \(oauth)", 200), ("Token \(simple)", 200), ("Token \(oauth)", 401), ("Bearer \(simple)", 401),
            ("Bearer unknown", 401), ("", 401), (oauth, 401),
        ] {
            #expect(try get("accounts/profile/", as: credential).status == status)
        }
        #expect(try get("insights/", as: "Bearer x").json == ["detail": "Invalid token."])
    }

    @Test("A simple token cannot write")
    func readOnly() throws {
        let simple = "Token \(sandbox.simpleToken)"
        for name in ["acquire", "release", "create", "update", "increment"] {
            #expect(try post("attributes/\(name)/", [], as: simple).status == 403)
        }
        #expect(try get("attributes/owned/", as: simple).status == 403)
        #expect(try get("attributes/?limit=100", as: simple).json["count"] == 42)
    }

    @Test("A token reads only the groups of its scopes; other groups are silently left out")
    func readScopes() throws {
        sandbox.addToken("narrow", scopes: ["mood_read", "activity_write"])
        sandbox.addToken("tags", scopes: ["manual_read"])
        sandbox.addToken("nothing", scopes: [])
        func groups(_ path: String, _ token: String) throws -> Set<String?> {
            Set(try results(path, as: "Bearer \(token)").map { $0["group"]["name"].string })
        }
        #expect(try groups("attributes/", "narrow") == ["mood"])
        #expect(try groups("attributes/with-values/?groups=activity,mood", "narrow") == ["mood"])
        #expect(try groups("attributes/", "tags") == ["mood", "food", "custom"])
        #expect(try get("accounts/profile/", as: "Bearer nothing").status == 200)
        #expect(try get("correlations/combo/?attribute=mood&attribute2=sleep", as: "Bearer narrow").status == 200)
        #expect(try get("correlations/combo/?attribute=steps&attribute2=sleep", as: "Bearer narrow").status == 404)
        let subjects = try results("insights/?limit=100", as: "Bearer narrow")
        #expect(Set(subjects.map { $0["type"]["attribute"]["name"] }) == ["mood"])
    }

    @Test("A token can write only what its scopes allow, and needs no scope to read attributes that it owns")
    func writeScopes() throws {
        sandbox.addToken("writer", scopes: ["activity_write"], client: "other")
        let response = try post(
            "attributes/acquire/", [["template": "steps"], ["template": "weight"], ["name": "guitar"]],
            as: "Bearer writer")
        #expect(response.status == 202 && response.json["success"].count == 1)
        #expect(response.json["failed"][0]["error"] == "No health_write scope")
        #expect(response.json["failed"][1]["error_code"] == "unauthorised")
        for (path, names) in ["attributes/owned/": ["steps"], "attributes/?owned=true": ["steps"], "attributes/": []] {
            #expect(try results(path, as: "Bearer writer").map { $0["name"].string ?? "" } == names)
        }
        sandbox.addToken("reader", scopes: ["activity_read"], client: "other")
        for path in ["update", "increment"] {
            let change: ServerJSON = [["name": "steps", "date": "2024-03-01", "value": 1]]
            let refused = try post("attributes/\(path)/", change, as: "Bearer reader").json["failed"]
            #expect(refused[0]["error"] == "No activity_write scope")
        }
        sandbox.addToken("manual", scopes: ["manual_write"], client: "other")
        #expect(try post("attributes/acquire/", [["name": "guitar"]], as: "Bearer manual").status == 200)
    }

    @Test("Each token has a limit of requests per hour; further requests get a 429 without a body")
    func rateLimit() throws {
        sandbox.rateLimit = 2
        #expect(try get("insights/").status == 200)
        advance(1_800)
        #expect(try get("insights/").status == 200)
        let refused = try get("insights/")
        #expect(refused.status == 429 && refused.body.isEmpty)
        #expect(try get("insights/", as: "Token \(sandbox.simpleToken)").status == 200)
        advance(1_801)
        #expect(try get("insights/").status == 200)
        #expect(try get("insights/").status == 429)
        sandbox.rateLimit = nil
        #expect(try get("insights/").status == 200)
    }

    @Test(
        "Both versions of the service exchange a user name and a password for the simple token", arguments: [1, 2])
    func simpleToken(version: Int) throws {
        let path = "/api/\(version)/auth/simple-token/"
        let right = try form(path, "username=maya&password=correct+horse")
        #expect(right.json["token"].string == sandbox.simpleToken)
        let json = try send(["username": "maya", "password": "correct horse"], to: path, as: "")
        #expect(json.json == right.json)
        #expect(try form(path, "username=maya&password=wrong").status == 400)
        let missing = try form(path, "username=maya")
        #expect(missing.status == 400 && missing.json == ["password": ["This field is required."]])
    }
}
