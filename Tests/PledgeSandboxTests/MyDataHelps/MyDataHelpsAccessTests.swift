import Foundation
import Testing

@testable import PledgeSandbox

@Suite("Access to the MyDataHelps sandbox", .serialized)
final class MyDataHelpsAccessTests: MyDataHelpsSuite {
    @Test("Without a token, or with an expired one, a caller is denied with the service's message")
    func denied() throws {
        sandbox.addToken("short", of: sandbox.participantIdentifier, lifetime: 60)
        #expect(try get("participant", token: "short").status == 200)
        advance(61)
        for token in ["", "short", "unknown"] {
            let reply = try get("participant", token: token)
            #expect(reply.status == 401)
            #expect(reply.json["message"] == "Authorization has been denied for this request.")
            #expect(reply.headers["ratelimit-limit"] == "500")
        }
    }

    @Test("Each token is of a person of its own, unless it is said to be of a known one")
    func persons() throws {
        for token in ["one", "other"] { sandbox.addToken(token) }
        sandbox.addToken("renewed", of: sandbox.participantIdentifier)
        sandbox.addToken("p-1", of: "p-1")
        sandbox.addToken("p-1-again", of: "p-1")
        func persons(_ key: String) throws -> [SandboxJSON?] {
            try [sandbox.token, "renewed", "one", "other", "p-1", "p-1-again"].map {
                try get("participant", token: $0).json[key]
            }
        }
        for key in ["participantID", "participantIdentifier", "linkIdentifier"] {
            let found = try persons(key)
            #expect(found[0] == found[1] && found[4] == found[5], "\(key)")
            #expect(Set(found[1...4].map { $0?.string ?? "" }).count == 4, "\(key)")
        }
    }

    @Test("Every response counts down the remaining requests, which are renewed in an hour")
    func limits() throws {
        sandbox.rateLimit = 2
        let replies = try (0..<3).map { _ in try get("participant") }
        #expect(replies.map(\.status) == [200, 200, 429])
        #expect(replies.map { $0.headers["ratelimit-remaining"] } == ["1", "0", "0"])
        #expect(replies[2].headers["ratelimit-reset"] == "3600")
        #expect(try delete("surveyresults/x").headers["ratelimit-limit"] == "2")
        advance(3_601)
        #expect(try get("participant").status == 200)
    }

    private func assertion(
        alg: String = "RS256", account: String = "MyDataHelps.4711.NordicSleep",
        audience: String = "http://sandbox.test/identityserver/connect/token", expires: SandboxJSON = 1_709_377_400,
        id: String = "3f2b8d0e-6f15-4d1f-8b57-0c7e6f9a2d11", signature: String = "c2ln"
    ) throws -> [String: String] {
        let header: SandboxJSON = ["alg": .string(alg), "typ": "JWT"]
        let claims: SandboxJSON = [
            "iss": .string(account), "sub": .string(account), "aud": .string(audience), "exp": expires,
            "jti": .string(id),
        ]
        let parts = try [header, claims].map { part in
            try part.encoded().base64EncodedString().replacingOccurrences(of: "=", with: "")
                .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
        }
        return [
            "scope": "api", "grant_type": "client_credentials",
            "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            "client_assertion": "\(parts[0]).\(parts[1]).\(signature)",
        ]
    }

    @Test("A correct assertion obtains a token for five minutes, once")
    func serviceToken() throws {
        let reply = try form(assertion())
        #expect(reply.status == 200 && reply.json["expires_in"] == 300)
        #expect(try form(assertion()).json["error"] == "invalid_client")
    }

    @Test("An assertion with any incorrect part obtains none")
    func wrongClaims() throws {
        let wrong = [
            try assertion(alg: "none"), try assertion(account: "someone"), try assertion(audience: "http://elsewhere/"),
            try assertion(expires: 1_709_377_199), try assertion(expires: 1_709_377_400_000),
            try assertion(expires: "1709377400"), try assertion(id: "7"), try assertion(signature: ""),
        ]
        for fields in wrong {
            let reply = try form(fields)
            #expect(reply.status == 400 && reply.json["error"] == "invalid_client")
        }
    }

    @Test("A participant's token requires a service token, and lasts six hours")
    func participantToken() throws {
        let service = try form(assertion()).json["access_token"].string ?? ""
        var fields = [
            "scope": "Participant:read", "grant_type": "delegated_participant",
            "participant_id": sandbox.participantID, "client_id": "MyDataHelps.DelegatedParticipant",
            "client_secret": "secret", "token": service,
        ]
        let token = try form(fields).json["access_token"].string ?? ""
        #expect(try get("participant", token: token).status == 200)
        #expect(try get("participant", token: service).status == 401)
        advance(301)
        #expect(try form(fields).json["error"] == "invalid_grant")
        advance(21_300)
        #expect(try get("participant", token: token).status == 401)
        fields["client_secret"] = "guess"
        #expect(try form(fields).json["error"] == "invalid_client")
    }

    @Test("A moment is written and parsed back in any time zone, even before 1970")
    func moments() {
        for seconds in [1_709_377_200.131, 0, -0.5, -86_400.001, 951_782_399.999] {
            let date = Date(timeIntervalSince1970: seconds)
            let back = ZonedTime.parse(ZonedTime.text(date))?.timeIntervalSince1970 ?? .nan
            #expect(abs(back - seconds) < 0.0005)
            let east = ZonedTime.parse(ZonedTime.text(date, hoursEast: 14))?.timeIntervalSince1970 ?? .nan
            #expect(east == seconds.rounded(.down))
        }
        #expect(ZonedTime.parse("2024-03-02T10:00:00") == nil && ZonedTime.parse("2024-03-02T10:00:00 0100") == nil)
    }
}
