import Foundation
import Testing

@testable import PledgeSandbox

@Suite("Access to the MyDataHelps sandbox", .serialized)
final class MyDataHelpsAccessTests: MyDataHelpsSuite {
    @Test("A caller without a token, or with an expired or unknown token, is denied with the service's message")
    func denied() throws {
        sandbox.addToken("short", of: sandbox.participantIdentifier, lifetime: 60)
        #expect(try get("participant", token: "short").status == 200)
        advance(61)
        for token in ["", "short", "unknown"] {
            let response = try get("participant", token: token)
            #expect(
                response.json["message"] == "Authorization has been denied for this request." && response.status == 401)
            let allowance = ["limit", "remaining", "reset"].map { response.headers["ratelimit-\($0)"] }
            #expect(allowance == ["500", "500", "3600"])
        }
    }

    @Test("A token that a test adds belongs to a new person, unless the test adds it for a known person")
    func persons() throws {
        for token in ["one", "other"] { sandbox.addToken(token) }
        sandbox.addToken("renewed", of: sandbox.participantIdentifier)
        sandbox.addToken("p-1", of: "p-1")
        sandbox.addToken("p-1-again", of: "p-1")
        func persons(_ key: String) throws -> [ServerJSON?] {
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

    @Test("Every response states the number of remaining requests, which is reset after an hour")
    func limits() throws {
        #expect(sandbox.rateLimit == 500)
        sandbox.rateLimit = 2
        let responses = try (0..<3).map { _ in try get("participant") }
        #expect(responses.map(\.status) == [200, 200, 429])
        #expect(responses.map { $0.headers["ratelimit-remaining"] } == ["1", "0", "0"])
        #expect(responses[2].headers["ratelimit-reset"] == "3600")
        advance(59.5)
        let other = try delete("surveyresults/x")
        #expect(other.headers["ratelimit-limit"] == "2" && other.headers["ratelimit-reset"] == "3541")
        advance(3_540.5)
        #expect(try get("participant").status == 200)
    }

    @Test("A correct assertion can be exchanged once for a token, which lasts five minutes")
    func serviceAccount() throws {
        let response = try form(assertion())
        #expect(response.status == 200 && response.json["expires_in"] == 300)
        #expect(response.json["access_token"] == "eyJhbGciOiJSUzI1NiJ9.service.1")
        #expect(response.headers["cache-control"] == "no-store")
        #expect(try form(assertion()).json["error"] == "invalid_client")
    }

    @Test("Unusual but valid claims are accepted: a time with a fraction, two audiences, or a header without a type")
    func unusualClaims() throws {
        let address = "http://127.0.0.1/identityserver/connect/token"
        let unusual: [(String, ServerJSON)] = [
            ("exp", .number(1_709_377_400.25)), ("aud", ["https://other.test", .string(address)]), ("typ", .null),
            ("nbf", 1_709_377_200), ("exp", 1_709_380_800),
        ]
        for (name, value) in unusual {
            let form = try assertion(["jti": .string("with \(name) \(value)"), name: value])
            #expect(try self.form(form).status == 200, "\(name)")
        }
    }

    @Test(
        "An assertion with a wrong claim or signature gets no token, and the response says which is wrong",
        arguments: [
            ("alg", "none"), ("typ", "at+jwt"), ("iss", "someone"), ("sub", "someone"), ("aud", "http://elsewhere/"),
            ("aud", ["http://elsewhere/"]), ("exp", 1_709_377_200), ("exp", .number(1_709_377_199.5)), ("exp", .null),
            ("exp", 1_709_380_801), ("exp", "1709377400"), ("nbf", 1_709_377_201), ("jti", ""), ("jti", 7),
            // These signatures are wrong. Some also have characters that the standard's form of Base64 doesn't allow.
            ("a signed JWT", ""), ("a signed JWT", "c2ln="), ("a signed JWT", "c2lu+A"),
            ("signature is wrong", "c2l"), ("signature is wrong", "c2lu-_"), ("signature is wrong", "c2lnLg"),
        ] as [(String, ServerJSON)])
    func wrongAssertions(name: String, value: ServerJSON) throws {
        let isSignature = name.contains("sign")
        let response = try form(isSignature ? assertion(signature: value.string ?? "") : assertion([name: value]))
        #expect(response.status == 400 && response.json["error"] == "invalid_client")
        #expect(response.json["error_description"].string?.contains(name) == true)
    }

    @Test(
        "A request for a token is refused if any of its fields is wrong",
        arguments: [
            ("grant_type", "password", "unsupported_grant_type"), ("scope", "Participant:read", "invalid_scope"),
            ("client_assertion_type", "jwt", "invalid_client"), ("client_assertion", "a.b", "invalid_client"),
        ])
    func wrongFields(name: String, value: String, error: String) throws {
        #expect(try form(assertion().merging([name: value]) { $1 }).json["error"].string == error)
    }

    @Test("A request with an extra slash before its path is answered")
    func doubledSlash() throws {
        let response = try exchange("GET", "//api/v1/delegated/participant", as: "Bearer \(sandbox.token)")
        #expect(try response.status == 200 && response.json == get("participant").json)
        #expect(try exchange("GET", "//api/v1/delegated/participant", as: "Bearer x").status == 401)
        #expect(try exchange("GET", "//api/v1/delegated/nothing", as: "Bearer \(sandbox.token)").status == 404)
    }

    @Test("A participant's token requires a service token, and lasts six hours")
    func participantToken() throws {
        let service = try serviceToken()
        let token = try participantToken("Participant:read", ["token": service]).json["access_token"].string ?? ""
        #expect(try get("participant", token: token).status == 200)
        #expect(try get("participant", token: service).status == 401)
        for (name, value, error) in [
            ("client_secret", "guess", "invalid_client"), ("client_id", "unknown", "invalid_client"),
            ("token", token, "invalid_grant"), ("participant_id", "nobody", "invalid_grant"),
        ] {
            #expect(try participantToken("Participant:read", [name: value]).json["error"].string == error, "\(name)")
        }
        advance(301)
        #expect(try participantToken("Participant:read", ["token": service]).json["error"] == "invalid_grant")
        advance(21_300)
        #expect(try get("participant", token: token).status == 401)
    }

    @Test("A moment, even before 1970, can be written in any time zone and parsed back")
    func moments() {
        for seconds in [1_709_377_200.131, 0, -0.5, -86_400.001, 951_782_399.999] {
            let date = Date(timeIntervalSince1970: seconds)
            let back = ZonedTime.parse(ZonedTime.text(date))?.timeIntervalSince1970 ?? .nan
            #expect(abs(back - seconds) < 0.0005)
            let east = ZonedTime.parse(ZonedTime.text(date, hoursEast: 14))?.timeIntervalSince1970 ?? .nan
            #expect(east == seconds.rounded(.down))
        }
        #expect(ZonedTime.parse("1970-01-02T01:02:03.5-03:30") == Date(timeIntervalSince1970: 90_123.5 + 12_600))
        for text in ["T10:00:00", "T10:00:00 0100", "T10:00:00+1", " 10:00:00Z", "T10:00:00:00Z", "T1a:00:00Z"] {
            #expect(ZonedTime.parse("2024-03-02\(text)") == nil, "\(text)")
        }
    }
}
