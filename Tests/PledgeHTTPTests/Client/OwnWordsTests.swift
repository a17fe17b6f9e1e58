import Foundation
import PledgeHTTP
import PledgeSandbox
import PledgeTestSupport
import Testing

@Suite("Custom messages and advice", .serialized)
final class OwnWordsTests: ThingSuite {
    private struct Refusal: Decodable {
        var problem: String
    }

    @Test("A client's own `findMessage` closure finds the message, and errors show it on one line without secrets")
    func words() async throws {
        for (said, message, shown) in [
            ("No book\nfor s3cr3t-token.", "…", "“…”"), ("No book\nfor you.", "No book\nfor you.", "“No book for you”"),
        ] {
            let response = ServerResponse.json(["problem": .string(said), "error": "17"], status: 422)
            let error = try await failure(response, by: .bearer("s3cr3t-token")) {
                $0.findMessage = { try? $0.json(Refusal.self).problem }
            }
            #expect(error.message == message)
            #expect(error.description.hasSuffix("the service answered 422, saying \(shown)."))
        }
    }

    @Test(
        "An error's description ends with the advice of the client's `advise` closure, or with a default advice"
    )
    func advice() async throws {
        for (status, advice) in [(402, "Pay the fine first."), (403, "Check the token's permissions.")] {
            let error = try await failure(.empty(status)) {
                $0.advise = { $0.status == 402 ? "Pay the fine first." : nil }
            }
            #expect(error.description.hasSuffix("the service answered \(status). \(advice)"))
        }
    }

    @Test(
        "An endpoint can accept an error response if it can be decoded; any other is the error of the call"
    )
    func readableRefusal() async throws {
        things.respond(.json(["ok": false], status: 409), .json(["detail": "Taken."], status: 409))
        var endpoint = Endpoint<ThingServer.Thing>(.get, "thing/")
        endpoint.accepts = { $0.status == 409 && (try? $0.json(ThingServer.Thing.self)) != nil }
        let client = things.client()
        let answer = try await client.send(endpoint).value
        #expect(answer.value == ThingServer.Thing(ok: false) && answer.response.status == 409)
        let error = await client.send(endpoint).failure() as? ExchangeError
        #expect(error?.status == 409 && error?.message == "Taken.")
        things.respond(.json(["ok": true], status: 299))
        #expect(try await client.get().value.value.ok)
    }
}
