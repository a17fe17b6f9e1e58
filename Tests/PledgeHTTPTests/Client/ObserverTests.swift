import Foundation
import PledgeHTTP
import PledgeSandbox
import PledgeTestSupport
import Testing

@Suite("Observing an exchange", .serialized)
struct ObserverTests {
    private let things: ThingServer
    init() throws { things = try ThingServer() }

    @Test("Each attempt is reported in order, without query or token")
    func attempts() async throws {
        things.server.script.next(2, respond: .empty(503))
        var query = QueryItems()
        query.add("secret", "s3cr3t")
        let endpoint = Endpoint<ThingServer.Thing>(.get, "thing/", query: query)

        _ = try await things.client(.bearer("t0k3n")).send(endpoint).value

        let lines = things.events.withLock { $0.map(\.description) }
        let scene = "GET \(things.server.baseURL)thing/, attempt"
        #expect(
            lines == [
                "\(scene) 1: sent", "\(scene) 1: answered 503 with 0 bytes", "\(scene) 1: waiting 0.5 s",
                "\(scene) 2: sent", "\(scene) 2: answered 503 with 0 bytes", "\(scene) 2: waiting 1.0 s",
                "\(scene) 3: sent", "\(scene) 3: answered 200 with 11 bytes",
            ])
    }

    @Test("Canceling a call that waits for its next attempt ends the wait")
    func cancelBetweenAttempts() async throws {
        things.server.script.next(respond: .empty(503))
        let manual = ManualTimekeeper()
        let waiting = Promise<Void>.pending()
        let client = things.client { options in
            options.clock = manual.timekeeper
            options.observer = { if case .waiting = $0.kind { waiting.resolver.fulfill() } }
        }
        let call = client.get()
        try await waiting.promise.value
        await DefaultExecutor.drain()

        call.cancel()

        await #expect(throws: PromiseError.cancelled) { try await call.value }
        #expect(manual.alarmCount == 0)
        #expect(things.server.requests.count == 1)
    }
}
