import Foundation
import PledgeHTTP
import PledgeSandbox
import PledgeTestSupport
import Testing

@Suite("The attempts of a call", .serialized)
final class AttemptTests: ThingSuite {
    private let clock = ManualTimekeeper()

    @Test("The observer gets the events of all attempts in order, without the query and the token")
    func attempts() async throws {
        things.respond(.empty(503), .text("cut").cut(after: 1))
        let endpoint = Endpoint<ThingServer.Thing>(.get, "thing/", query: ["secret": "s3cr3t"])
        _ = try await things.client(.bearer("t0k3n")).send(endpoint).value
        // Removes the reason in parentheses, because each transport words it differently.
        let lines = things.events.withLock { $0.map { "\($0)".replacing(#/ \(.*\)/#, with: "") } }
        let scene = "GET \(things.server.baseURL)thing/, attempt"
        #expect(
            lines == [
                "\(scene) 1: sent", "\(scene) 1: answered 503 with 0 bytes", "\(scene) 1: waiting 0.5 s",
                "\(scene) 2: sent", "\(scene) 2: failed: the connection was lost", "\(scene) 2: waiting 1.0 s",
                "\(scene) 3: sent", "\(scene) 3: answered 200 with 11 bytes",
            ])
    }

    @Test("If a gate cancels the permit for a request, the call is canceled")
    func cancelledPermit() async {
        struct Gone: RequestGate {
            func permit(after pause: RetryPause?, onWait: @escaping @Sendable (TimeInterval) -> Void) -> Promise<Void> {
                Promise(error: PromiseError.cancelled)
            }
            func record(_ attempt: AttemptOutcome, _ sent: SentRequest, seconds: TimeInterval) -> RetryPause? { nil }
        }
        #expect(await things.client { $0.gate = { _ in Gone() } }.get().failure()?.isCancelled == true)
    }

    @Test("Canceling a call that waits for its next attempt ends the wait")
    func cancelBetweenAttempts() async throws {
        things.respond(.empty(503))
        let call = things.client { $0.clock = clock.timekeeper }.get()
        await Wait.until { clock.requested.contains(0.5) }
        call.cancel()
        await #expect(throws: PromiseError.cancelled) { try await call.value }
        // The call may be canceled just before it starts to follow the new wait, so the timer may end a moment later.
        await Wait.until { clock.alarmCount == 0 }
        #expect(things.server.requests.count == 1)
    }

    @Test("The error for an unreadable response counts all attempts and includes the client's rate limit")
    func unreadable() async throws {
        let page = ServerResponse(status: 200, headers: ["RateLimit-Remaining": "7"], body: Data("<html>".utf8))
        things.respond(.empty(503), .empty(503), page)
        let client = things.client()
        #expect(client.rateLimit == nil)
        let error = try #require(await client.get().failure() as? ExchangeError)
        #expect(error.attempts == 3 && client.requestCount == 3)
        #expect(error.rateLimit?.remaining == 7 && client.rateLimit == error.rateLimit)
        #expect(error.description.contains("failed after 3 attempts: the response is a web page"))
    }

    @Test("A response that looks like broken JSON is requested once more; a 204 without content isn't")
    func looksLikeJSON() async throws {
        let broken = ServerResponse(status: 200, body: Data(#"{"ok": tru}"#.utf8))
        let cut = try await failure(broken, broken)
        #expect(cut.attempts == 2 && cut.description.contains("is not JSON"))
        let empty = try await failure(.empty(204))
        #expect(empty.attempts == 1 && empty.description.contains("has no content"))
    }

    @Test("The error of a call that exceeds its total timeout counts the attempts that it made")
    func totalTimeout() async throws {
        things.respond(.empty(503), .empty(503), ServerResponse.empty(200).delayed(by: 3600))
        let call = things.client { ($0.totalTimeout, $0.clock) = (90, clock.timekeeper) }.get()
        for wait in [0.5, 1] {
            await Wait.until { clock.requested.contains(wait) }
            clock.advance(by: wait)
        }
        await Wait.until { things.server.requests.count == 3 }
        clock.advance(by: 88.5)
        let error = try #require(await call.failure() as? ExchangeError)
        #expect(error.attempts == 3 && error.description.contains("after 3 attempts: no response within 90 s"))
    }

    @Test(
        "If no time is left for a call, it ends without sending a request",
        arguments: [(0, .timedOut), (-7, .timedOut), (.nan, .invalidArgument)] as [(TimeInterval, FailureKind)])
    func noTimeLeft(seconds: TimeInterval, kind: FailureKind) async throws {
        let call = things.client { $0.totalTimeout = seconds }.get()
        let error = try #require(await call.failure() as? ExchangeError)
        #expect(error.kind == kind && error.attempts == 0 && things.server.requests.isEmpty)
    }

    @Test("The error of a request that was never sent reports zero attempts")
    func unsent() async throws {
        let nowhere = EndpointClient(baseURL: try #require(URL(string: "https://name@service.example/")))
        for token in ["", "a b", "a\nb", "a\u{7F}", "é"] {
            #expect(try await failure(by: .bearer(token)).attempts == 0)
        }
        #expect(things.server.requests.isEmpty)
        _ = try await things.client(.bearer("!~")).get().value
        let rejected = try #require(await nowhere.get().failure() as? ExchangeError)
        #expect(rejected.attempts == 0 && rejected.description.contains("the URL contains a user name"))
        var (split, endless) = (Endpoint<Void>(.get, "thing/"), Endpoint<Void>(.get, "thing/"))
        (split.headers["X-Trace"], endless.timeout) = ("a\r\nX-Evil: 1", .nan)
        for (endpoint, words) in [(split, "header X-Trace contains a character"), (endless, "limit is not a number")] {
            let refused = try #require(await things.client().send(endpoint).failure() as? ExchangeError)
            #expect(refused.attempts == 0 && refused.description.contains(words))
        }
    }
}
