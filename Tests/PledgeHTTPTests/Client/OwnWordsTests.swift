import Foundation
import PledgeHTTP
import PledgeSandbox
import PledgeTestSupport
import Testing

@Suite("Custom messages and advice", .serialized)
struct OwnWordsTests {
    private let things: ThingServer
    init() throws { things = try ThingServer() }

    private struct Refusal: Decodable {
        var problem: String
    }

    @Test("The client's closure finds the message, which is shown on one line without secrets")
    func words() async throws {
        things.server.script.next(
            respond: .json(["problem": "No book\nfor s3cr3t-token.", "error": "17"], status: 422))
        things.server.script.next(respond: .json(["problem": "No book\nfor you.", "error": "17"], status: 422))
        let client = things.client(.bearer("s3cr3t-token")) {
            $0.findMessage = { try? $0.json(Refusal.self).problem }
        }

        let hidden = try #require(await client.get().failure() as? ExchangeError)
        let error = try #require(await client.get().failure() as? ExchangeError)

        #expect(hidden.message == "…")
        #expect(error.message == "No book\nfor you.")
        #expect(error.description.hasSuffix("the service answered 422, saying “No book for you”."))
    }

    @Test("Importing PledgeHTTP also imports the types in its signatures, such as `JSONValue` and `UnreadableItem`")
    func oneImport() async throws {
        let unreadable = Recorder<UnreadableItem>()
        let client = things.client { $0.onUnreadable = { unreadable.append($1) } }

        let json: Promise<JSONValue> = client.value(of: Endpoint(.get, "thing/"))

        #expect(try await json.value == .object(["ok": .bool(true)]))
        #expect(unreadable.all.isEmpty)
    }

    @Test("The client's own advice ends an error's description; where it has none, the default advice applies")
    func advice() async throws {
        things.server.script.next(respond: .empty(402))
        things.server.script.next(respond: .empty(403))
        let client = things.client { $0.advise = { $0.status == 402 ? "Pay the fine first." : nil } }

        let own = try #require(await client.get().failure())
        let usual = await client.get().failure() as? ExchangeError

        #expect("\(own)".hasSuffix("the service answered 402. Pay the fine first."))
        #expect(usual?.advice == "Check the token's permissions.")
    }

    @Test("An accepted error response is a result if it decodes, which is tried once, and an error otherwise")
    func readableRefusal() async throws {
        things.server.script.next(respond: .json(["ok": false], status: 409))
        things.server.script.next(respond: .json(["detail": "Taken."], status: 409))
        let reads = Counter()
        var endpoint = Endpoint<ThingServer.Thing>(.get, "thing/") { reply in
            _ = reads.next()
            return try reply.json()
        }
        endpoint.acceptsIfReadable = { $0.status == 409 }
        let client = things.client()

        let answer = try await client.send(endpoint).value
        #expect(answer.value == ThingServer.Thing(ok: false) && answer.reply.status == 409)
        #expect(reads.value == 1)
        let error = await client.send(endpoint).failure() as? ExchangeError
        #expect(error?.status == 409 && error?.message == "Taken.")
    }
}
