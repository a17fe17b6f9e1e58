import Foundation
import PledgeHTTP
import PledgeSandbox
import Testing

@Suite("The number of attempts in an error", .serialized)
struct AttemptTests {
    private let things: ThingServer
    init() throws { things = try ThingServer() }

    private func failure(_ call: Promise<Answer<ThingServer.Thing>>) async throws -> ExchangeError {
        try #require(await call.failure() as? ExchangeError)
    }

    @Test("The error for an unreadable response counts all attempts")
    func unreadable() async throws {
        things.server.script.next(2, respond: .empty(503))
        things.server.script.next(
            respond: ServerResponse(status: 200, headers: ["RateLimit-Remaining": "7"], body: Data("<html>".utf8)))

        let client = things.client()
        let error = try await failure(client.get())

        #expect(error.attempts == 3 && client.requestCount == 3 && error.rateLimit?.remaining == 7)
        #expect(error.description.contains("failed after 3 attempts: the reply is a web page"))
    }

    @Test("A response that only looks like JSON is requested again, once; one without content, by its status, is not")
    func looksLikeJSON() async throws {
        things.server.script.next(2, respond: ServerResponse(status: 200, body: Data(#"{"ok": tru}"#.utf8)))
        things.server.script.next(respond: .empty(204))

        let cut = try await failure(things.client().get())
        #expect(cut.attempts == 2 && cut.description.contains("is not JSON"))
        let empty = try await failure(things.client().get())
        #expect(empty.attempts == 1 && empty.description.contains("has no content"))
    }

    @Test("The error of a call that exceeds its total timeout counts the attempts until then")
    func totalTimeout() async throws {
        things.server.script.next(2, respond: .empty(503))
        things.server.script.next(respond: ServerResponse.empty(200).delayed(by: 3600))
        let (sent, deadline) = (Promise<Void>.pending(), Locked<(@Sendable () -> Void)?>(nil))
        let client = things.client { options in
            options.totalTimeout = 90
            options.clock = Timekeeper(
                now: { Date(timeIntervalSince1970: 0) },
                schedule: { seconds, work in
                    if seconds == 90 { deadline.withLock { $0 = work } } else { work() }
                    return {}
                })
            options.observer = { if case .sent = $0.kind, $0.attempt == 3 { sent.resolver.fulfill() } }
        }
        let call = client.get()
        try await sent.promise.value

        deadline.withLock { $0.take() }?()

        let error = try await failure(call)
        #expect(error.attempts == 3 && error.description.contains("after 3 attempts: no reply within 90 s"))
    }

    @Test("The error of a failed renewal counts the attempts before it, whether or not the request may be repeated")
    func refusedRenewal() async throws {
        for call in ThingServer.Call.allCases {
            let things = try ThingServer()
            things.server.script.next(.max) { _ in .json(["detail": "Expired."], status: 401) }
            let tokens = NumberedTokens()
            tokens.fail(with: TransportError.connectionLost("the token endpoint is down"))

            let error = try await failure(things.client(.source(tokens)).send(call.endpoint))

            guard case .credential = error.reason else { throw error }
            #expect(error.attempts == 1 && things.server.requests.count == 1)
        }
    }

    @Test("The error of a request that was never sent counts no attempts")
    func unsent() async throws {
        let nowhere = EndpointClient(baseURL: try #require(URL(string: "https://name@service.example/")))

        for token in ["", "a b", "a\nb", "a\u{7F}", "é"] {
            #expect(try await failure(things.client(.bearer(token)).get()).attempts == 0)
        }
        #expect(things.server.requests.isEmpty)
        _ = try await things.client(.bearer("!~")).get().value
        let rejected = try await failure(nowhere.get())
        #expect(rejected.attempts == 0 && rejected.description.contains("the URL contains a user name"))
    }
}
