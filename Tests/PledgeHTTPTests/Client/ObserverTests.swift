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
        let client = things.client { $0.clock = manual.timekeeper }
        let call = client.get()
        await Wait.until { manual.requested.contains(0.5) }

        call.cancel()

        await #expect(throws: PromiseError.cancelled) { try await call.value }
        // The cancel may come before the call has adopted the wait that has just begun.
        await Wait.until { manual.alarmCount == 0 }
        #expect(things.server.requests.count == 1)
    }
}
