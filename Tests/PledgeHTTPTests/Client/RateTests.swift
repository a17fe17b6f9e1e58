import Foundation
import PledgeSandbox
import PledgeTestSupport
import Testing

@testable import PledgeHTTP

@Suite("Rate limits", .serialized)
final class RateTests: ThingSuite {
    private let held = HeldTransport()
    private let clock = ManualTimekeeper()

    @Test("Each setting of a retry rule has its effect")
    func settings() async throws {
        typealias Row = (statuses: [Int], waits: [TimeInterval], succeeds: Bool, change: (inout RetryRule) -> Void)
        let rows: [String: Row] = [
            "attempts": ([503, 503], [0.5], false, { $0.attempts = 2 }),
            "firstDelay": ([503, 503], [3, 6], true, { $0.firstDelay = 3 }),
            "longestDelay": (
                [503, 503, 503], [0.5, 0.75, 0.75], true, { ($0.longestDelay, $0.attempts) = (0.75, 4) }
            ),
            "longestWait": ([503, 503], [0.5], false, { $0.longestWait = 1.25 }),
            "statuses": ([404, 502, 503], [0.5, 1], false, { ($0.statuses, $0.attempts) = ([404, 502], 9) }),
            "limitDelay": (
                [429, 429, 429], [900, 900], false, { ($0.limitDelay, $0.longestWait, $0.attempts) = (900, 2000, 9) }
            ),
            "countsLimits": (
                [429, 429, 503], [7, 7, 0.5], true, { ($0.limitDelay, $0.countsLimits, $0.attempts) = (7, false, 2) }
            ),
            "random": ([503, 503], [0.25, 0.5], true, { $0.random = { $0.upperBound / 2 } }),
        ]
        #expect(Set(Mirror(reflecting: RetryRule()).children.compactMap(\.label)) == Set(rows.keys))
        for (name, row) in rows {
            let things = try ThingServer()
            for status in row.statuses { things.respond(.empty(status)) }
            let thing = try? await things.client { row.change(&$0.retry) }.get().value
            #expect(things.clock.waits == row.waits && (thing != nil) == row.succeeds, "\(name)")
        }
    }

    @Test("By default, the wait doubles with each retry, up to twenty seconds; only temporary faults are retried")
    func defaults() async throws {
        things.server.script.next(8, respond: .empty(503))
        _ = try await things.client { ($0.retry.attempts, $0.retry.longestWait) = (9, 100) }.get().value
        #expect(things.clock.waits == [0.5, 1, 2, 4, 8, 16, 20, 20])
        let client = things.client { $0.retry.limitDelay = 1 }
        var retried: Set<Int> = []
        for status in 400..<600 {
            things.respond(.empty(status))
            if (try? await client.get().value) != nil { retried.insert(status) }
        }
        #expect(retried == [408, 425, 429, 500, 502, 503, 504])
        let all = things.client { ($0.retry.statuses, $0.retry.limitDelay) = (Set(300..<600), 1) }
        for status in 300..<600 {
            things.respond(.empty(status))
            #expect(try await all.get().value.value.ok, "\(status)")
        }
        #expect(RetryRule.overload.statuses == [429, 502, 503, 504])
        for (seconds, words) in [("0", "503. Try"), ("1", "503, and asks for a wait of 1 s, until 2023")] {
            let error = try await failure(.empty(503, headers: ["Retry-After": seconds])) { $0.retry = .never }
            #expect(error.description.contains(words), "\(error)")
        }
    }

    @Test(
        "A status has the failure kind of its class, such as 5xx, unless the status has a failure kind of its own",
        arguments: [
            (200, .rejected), (299, .rejected), (300, .redirected), (399, .redirected), (400, .rejected),
            (401, .unauthorized), (402, .rejected), (403, .forbidden), (404, .notFound), (405, .rejected),
            (408, .serviceFault), (425, .serviceFault), (429, .rateLimited), (499, .rejected), (500, .serviceFault),
            (999, .serviceFault),
        ] as [(Int, FailureKind)])
    func kind(status: Int, kind: FailureKind) { #expect(Diagnosis(status: status).kind == kind) }

    @Test(
        "If a service asks for a longer wait than the retry rule permits, the call fails at once",
        arguments: [429, 503])
    func longWait(status: Int) async throws {
        let error = try await failure(.empty(status, headers: ["Retry-After": "61"])) {
            $0.retry = RetryRule(longestWait: 60)
        }
        #expect(error.retryAfter == 61 && error.attempts == 1 && error.retryDate == things.clock.now + 61)
        let words = "the service answered \(status), and asks for a wait of 61 s, until 2023-11-14T22:14:21Z."
        #expect(error.sentence.hasSuffix(words) && things.clock.waits.isEmpty)
    }

    @Test(
        "An error states a wait in seconds, or as “more than a day” if the wait is longer than a day",
        arguments: [86_400.0, 86_401])
    func dayLong(seconds: Double) async throws {
        let error = try await failure(.empty(503, headers: ["Retry-After": "\(Int(seconds))"]))
        let isLong = seconds > 86_400
        #expect(error.description.contains("asks for a wait of more than a day") == isLong)
        let closed = "\(ExchangeError.Reason.limited(seconds: seconds))"
        let ends = [.cancelled, .limited(seconds: 1)].map { ExchangeError($0, context: error.context).isCancelled }
        #expect(ends == [true, false])
        #expect([-1, 0.2, 1e30].map(ExchangeError.whole) == [0, 1, 1_000_000_000])
        #expect(closed.hasSuffix(isLong ? "for more than a day" : "for another 86400 s"))
    }

    @Test("After a 429 with a wait of 0 seconds, a call is retried after one second, and then after two")
    func literally() async throws {
        things.server.script.next(2, respond: .empty(429, headers: ["Retry-After": "0"]))
        _ = try await things.client().get().value
        #expect(things.clock.waits == [1, 2])
    }

    @Test(
        "A status that was added to the retry rule is retried after the requested wait if the request may be repeated")
    func named() async throws {
        let busy = ServerResponse.empty(423, headers: ["Retry-After": "7"])
        for call in ThingServer.Call.allCases {
            let things = try ThingServer()
            things.respond(busy)
            let thing = try? await things.client { $0.retry.statuses.insert(423) }.send(call.endpoint).value
            #expect((thing != nil) == (call != .unrepeatable) && things.clock.waits == (thing == nil ? [] : [7]))
        }
        let error = try await failure(busy) { $0.retry.statuses = [] }
        #expect(error.kind == .rejected && error.attempts == 1)
    }

    @Test("A limit from the client's `limits` closure closes the limiter, and determines how long a refused call waits")
    func ownLimits() async throws {
        let clock = things.clock
        let limiter = RateLimiter(limit: 100, clock: clock.timekeeper)
        let limits: @Sendable (RawResponse) -> RateLimit? = { response in
            guard let body = try? response.json([String: Double].self), let wait = body["retry_after"] else {
                return nil
            }
            return RateLimit(limit: nil, remaining: 0, resetsAt: clock.now + wait)
        }
        for status in [200, 403, 429] {
            things.respond(.json(["retry_after": 7, "ok": 1], status: status))
            for call in ThingServer.Call.allCases {
                _ = try? await things.client {
                    ($0.limiter, $0.limits) = (limiter, limits)
                }.send(call.endpoint).value
            }
        }
        #expect(clock.waits == [7, 7, 7] && things.server.requests.count == 11)
        // Without the `limits` closure, a 403 isn't a rate limit: the token lacks a permission.
        let error = try await failure(.json(["retry_after": 7], status: 403))
        #expect(error.kind == .forbidden && error.rateLimit == nil)
        let limited = try await failure(.json(["retry_after": 70], status: 403)) { $0.limits = limits }
        #expect(limited.kind == .rateLimited && limited.retryAfter == 70 && limited.attempts == 1)
        #expect(limited.description.hasSuffix("Wait before the next request, and consider a rate limiter."))
    }

    @Test("The client's `limits` closure runs once for each response, also if the call fails")
    func limitsOnce() async throws {
        let (clock, calls) = (things.clock, Counter())
        let error = try await failure(.empty(429)) { options in
            options.retry = .never
            options.limits = { _ in
                RateLimit(limit: nil, remaining: 0, resetsAt: clock.now + 10 * Double(calls.next()))
            }
        }
        #expect(calls.value == 1 && error.retryAfter == 10 && error.rateLimit?.resetsAt == clock.now + 10)
    }

    /// Jumps of the clock by about ten years, ahead and back.
    private static let jumps: [TimeInterval] = [3.2e8, -3.2e8]

    @Test(
        "Setting the clock while a call waits for a retry neither delays the call nor uses up its budget",
        arguments: jumps)
    func jumpWhileRetrying(jump: TimeInterval) async throws {
        let client = held.client(clock) {
            $0.retry = RetryRule(attempts: 2, longestWait: 60)
            $0.budget.seconds = 100
            $0.totalTimeout = 100
        }
        let call = client.get()
        await held.answer(0, 503, ["Retry-After": "40"])
        await Wait.until { clock.alarmCount == 2 }
        clock.advance(by: 20)
        clock.jump(by: jump)
        clock.advance(by: 20)
        await held.answer(1, 200)
        #expect(try await call.value.value.ok)
    }

    @Test("A token is requested after the wait for a limiter, because it could expire during the wait")
    func tokenAfterWait() async throws {
        final class Dated: TokenSource {
            let clock: InstantTimekeeper
            init(_ clock: InstantTimekeeper) { self.clock = clock }
            func token() -> Promise<String> { .value("t\(Int(clock.now.timeIntervalSince1970))") }
        }
        let limiter = RateLimiter(limit: 1, per: 60, clock: things.clock.timekeeper)
        let client = things.client(.source(Dated(things.clock), scheme: "Token")) { $0.limiter = limiter }
        for _ in 0..<2 { _ = try await client.get().value }
        let sent = things.server.requests.map { $0.headers["Authorization"] }
        #expect(sent == ["Token t1700000000", "Token t1700000060"])
    }
}
