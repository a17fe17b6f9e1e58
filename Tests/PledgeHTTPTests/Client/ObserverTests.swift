import Foundation
import Pledge
import PledgeHTTP
import PledgeSandbox
import PledgeTestSupport
import Testing

@Suite("Observing an exchange", .serialized)
struct ObserverTests {
    @Test("Each attempt is reported in order, without query or token")
    func attempts() async throws {
        let things = try ThingServer()
        defer { things.server.stop() }
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
        let things = try ThingServer()
        defer { things.server.stop() }
        things.server.script.next(respond: .empty(503))
        let manual = ManualTimekeeper()
        let client = things.client { $0.clock = manual.timekeeper }
        let call = client.send(ThingServer.Call.get.endpoint)
        await Wait.until { manual.requested.contains(0.5) }

        call.cancel()

        await #expect(throws: PromiseError.cancelled) { try await call.value }
        // The cancel may come before the call has adopted the wait that has just begun.
        await Wait.until { manual.alarmCount == 0 }
        #expect(things.server.requests.count == 1)
    }

    @Test("A call that exceeds its total timeout fails")
    func totalTimeout() async throws {
        let things = try ThingServer()
        defer { things.server.stop() }
        things.server.script.next(respond: SandboxResponse.empty(200).delayed(by: 3600))
        let manual = ManualTimekeeper()
        let sent = Promise<Void>.pending()
        let client = things.client { options in
            options.clock = manual.timekeeper
            options.totalTimeout = 90
            options.observer = { if case .sent = $0.kind { sent.resolver.fulfill() } }
        }
        let call = client.send(ThingServer.Call.get.endpoint)
        try await sent.promise.value

        manual.advance(by: 90)

        let error = await thrown(ExchangeError.self) { try await call.value }
        #expect(error?.description.contains("no reply within 90 s") == true)
    }

    @Test("Nothing that can be printed contains the token, whichever call failed")
    func secrecy() async throws {
        let secret = "s3cr3t-t0k3n"
        let things = try ThingServer()
        defer { things.server.stop() }
        things.server.script.next(.max) { request in
            // A service that repeats the token in its error message.
            .json(
                ["detail": .string("Bad token \(secret)"), "echo": .string(request.headers["Authorization"] ?? "")],
                status: 401)
        }
        let client = things.client(.bearer(secret))
        var printed = "\(client) \(String(reflecting: client))"
        dump(client, to: &printed)

        for call in ThingServer.Call.allCases {
            let result = await client.send(call.endpoint).settled().value
            dump(result, to: &printed)
            printed += "\(result) \(String(reflecting: result))"
            if case .failure(let error) = result { printed += error.localizedDescription }
        }
        printed += things.events.withLock { events in events.map { "\($0) \(String(reflecting: $0))" }.joined() }
        dump(Authorizer.bearer(secret), to: &printed)
        printed += "\(Authorizer.bearer(secret)) \(String(reflecting: Authorizer.scheme("Token", secret)))"

        #expect(printed.contains("saying “…”"))
        #expect(!printed.contains(secret))
    }
}
