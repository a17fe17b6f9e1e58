import Foundation
import Pledge
import PledgeSandbox
import PledgeTestSupport
import Testing

@testable import PledgeHTTP

@Suite("Rate limits", .serialized)
struct RateTests {
    @Test("A limiter never lets more requests than its limit start within one period")
    func spacing() async throws {
        let things = try ThingServer()
        defer { things.server.stop() }
        let limiter = RateLimiter(limit: 3, per: 60, clock: things.clock.timekeeper)
        let client = things.client { $0.limiter = limiter }

        for _ in 0..<7 { _ = try await client.send(ThingServer.Call.get.endpoint).value }

        #expect(things.clock.waits == [60, 60])
        let sent = things.events.withLock { $0 }.compactMap { event -> Date? in
            if case .sent = event.kind { event.date } else { nil }
        }
        for (early, late) in zip(sent, sent.dropFirst(3)) {
            #expect(late.timeIntervalSince(early) >= 60)
        }
    }

    @Test("A limiter has the limit that the service announced, and waits when that limit is used up")
    func announced() async throws {
        let things = try ThingServer()
        defer { things.server.stop() }
        things.server.script.next(
            respond: SandboxResponse(
                status: 200,
                headers: ["RateLimit-Limit": "500", "RateLimit-Remaining": "0", "RateLimit-Reset": "1260"],
                body: Data(#"{"ok": true}"#.utf8)))
        let limiter = RateLimiter(limit: 500, clock: things.clock.timekeeper)
        let client = things.client {
            $0.limiter = limiter
            $0.retry = RetryRule(longestWait: 1260)
        }
        let begin = things.clock.now

        _ = try await client.send(ThingServer.Call.get.endpoint).value
        #expect(
            limiter.announced == RateLimit(limit: 500, remaining: 0, resetsAt: begin.addingTimeInterval(1260)))
        #expect(limiter.available == 0)
        _ = try await client.send(ThingServer.Call.get.endpoint).value

        #expect(things.clock.waits == [1260])
    }

    @Test("A 429 with `Retry-After` delays the requests that share the limiter")
    func closed() async throws {
        let things = try ThingServer()
        defer { things.server.stop() }
        things.server.script.next(respond: .empty(429, headers: ["Retry-After": "40"]))
        let limiter = RateLimiter(limit: 500, clock: things.clock.timekeeper)
        let client = things.client {
            $0.limiter = limiter
            $0.retry = .never
        }

        _ = await client.send(ThingServer.Call.get.endpoint).failure()
        #expect(limiter.available == 0)
        _ = try await client.send(ThingServer.Call.get.endpoint).value

        #expect(things.clock.waits == [40])
    }

    @Test("A 429 without a wait is retried after the retry rule's delay, within its maximum total wait")
    func unsaid() async throws {
        let things = try ThingServer()
        defer { things.server.stop() }
        let client = things.client { $0.retry = RetryRule(attempts: 9, longestWait: 2000, limitDelay: 900) }

        things.server.script.next(2, respond: .empty(429))
        _ = try await client.send(ThingServer.Call.get.endpoint).value
        #expect(things.clock.waits == [900, 900])

        things.server.script.next(3, respond: .empty(429))
        let error = await thrown(ExchangeError.self) {
            try await client.send(ThingServer.Call.get.endpoint).value
        }
        #expect(error?.status == 429)
        #expect(things.clock.waits == [900, 900, 900, 900])
    }

    @Test("A requested wait beyond the retry rule's maximum is an error at once, not a wait", arguments: [429, 503])
    func longWait(status: Int) async throws {
        let things = try ThingServer()
        defer { things.server.stop() }
        let client = things.client { $0.retry = RetryRule(longestWait: 60) }

        things.server.script.next(2, respond: .empty(status, headers: ["Retry-After": "61"]))
        let error = await thrown(ExchangeError.self) {
            try await client.send(ThingServer.Call.get.endpoint).value
        }
        #expect(error?.retryAfter == 61 && error?.attempts == 1)
        #expect(error?.retryDate == things.clock.now + 61)
        #expect(
            error?.sentence.hasSuffix(
                "the service answered \(status), and asks for a wait of 61 s, until 2023-11-14T22:14:21Z.") == true)
        #expect(things.clock.waits.isEmpty)
    }

    @Test("An error and its client have the rate limit that the service announced")
    func errorsCarryLimits() async throws {
        let things = try ThingServer()
        defer { things.server.stop() }
        things.server.script.next(
            respond: .empty(
                429, headers: ["RateLimit-Limit": "300", "RateLimit-Remaining": "0", "RateLimit-Reset": "900"]))

        let client = things.client()
        #expect(client.rateLimit == nil)
        let error = await thrown(ExchangeError.self) {
            try await client.send(ThingServer.Call.get.endpoint).value
        }

        #expect(client.rateLimit == error?.rateLimit)
        #expect(error?.rateLimit?.limit == 300)
        #expect(error?.rateLimit?.remaining == 0)
    }

    @Test("Canceling a call that waits for a permit removes it from the queue, and the next call proceeds")
    func cancelWaiting() async throws {
        let things = try ThingServer()
        defer { things.server.stop() }
        let manual = ManualTimekeeper()
        let limiter = RateLimiter(limit: 1, per: 60, clock: manual.timekeeper)
        let client = things.client { $0.limiter = limiter }
        _ = try await client.send(ThingServer.Call.get.endpoint).value
        let cancelled = client.send(ThingServer.Call.get.endpoint)
        let patient = client.send(ThingServer.Call.get.endpoint)
        await DefaultExecutor.drain()

        cancelled.cancel()
        await DefaultExecutor.drain()
        manual.advance(by: 60)

        #expect(try await patient.value.value.ok)
        #expect(things.server.requests.count == 2)
    }

    @Test("A limiter that a service closes for 31 years delays no call beyond its longest wait, and reopens in an hour")
    func closedForDecades() async throws {
        let things = try ThingServer()
        defer { things.server.stop() }
        things.server.script.next(
            respond: SandboxResponse(
                status: 200, headers: ["RateLimit-Remaining": "0", "RateLimit-Reset": "999999999"],
                body: Data(#"{"ok": true}"#.utf8)))
        let limiter = RateLimiter(limit: 500, clock: things.clock.timekeeper)
        let client = things.client { $0.limiter = limiter }

        _ = try await client.send(ThingServer.Call.get.endpoint).value
        let error = await thrown(ExchangeError.self) {
            try await client.send(ThingServer.Call.get.endpoint).value
        }
        #expect(error?.attempts == 0 && error?.retryAfter == 3600)
        #expect("\(error as Any)".contains("no request for another 3600 s, until 2023-11-14T23:13:20Z."))
        #expect(things.clock.waits.isEmpty && things.server.requests.count == 1)

        _ = things.clock.timekeeper.schedule(3600) {}
        _ = try await client.send(ThingServer.Call.get.endpoint).value
    }

    @Test("A late `Retry-After` of a second does not shorten an earlier one of 900 seconds")
    func lateReply() async throws {
        let (held, clock) = (HeldTransport(), ManualTimekeeper())
        let limiter = RateLimiter(limit: 500, clock: clock.timekeeper)
        let client = held.client(limiter, clock)
        let calls = (0..<2).map { _ in client.send(ThingServer.Call.get.endpoint) }

        for (index, seconds) in ["900", "1"].enumerated() {
            await held.answer(index, 429, ["Retry-After": seconds])
            _ = await calls[index].settled().value
        }

        clock.advance(by: 899)
        #expect(limiter.available == 0)
        clock.advance(by: 1)
        #expect(limiter.available > 0)
    }

    @Test("After a 429 without a wait, one of the waiting calls tries again after a minute, and not each of them")
    func bare() async throws {
        let (held, clock) = (HeldTransport(), ManualTimekeeper())
        let client = held.client(RateLimiter(limit: 500, clock: clock.timekeeper), clock)
        let first = client.send(ThingServer.Call.get.endpoint)
        await held.answer(0, 429)
        _ = await first.settled().value
        let waiting = (0..<5).map { _ in client.send(ThingServer.Call.get.endpoint) }
        await DefaultExecutor.drain()
        #expect(held.sent == 1)

        clock.advance(by: 60)
        while held.sent < 2 { await Task.yield() }
        await held.answer(1, 429)
        // The limiter has heard of it by then. Responses are not processed on the default queue.
        _ = await waiting[0].settled().value
        clock.advance(by: 5)

        for call in waiting { #expect(await call.settled().value.isFailure) }
        #expect(held.sent == 2)
    }

    @Test("A call that waits for a limiter fails as soon as the service announces a longer wait than the call accepts")
    func heldBack() async throws {
        let (held, clock) = (HeldTransport(), ManualTimekeeper())
        let limiter = RateLimiter(limit: 1, per: 30, clock: clock.timekeeper)
        let (patient, hasty) = (
            held.client(limiter, clock) { $0.retry = RetryRule(longestWait: 2000) },
            held.client(limiter, clock) { $0.retry = RetryRule(longestWait: 60) }
        )
        let first = patient.send(ThingServer.Call.get.endpoint)
        let waiting = patient.send(ThingServer.Call.get.endpoint)
        let behind = hasty.send(ThingServer.Call.get.endpoint)
        await held.answer(0, 200, ["RateLimit-Remaining": "0", "RateLimit-Reset": "1000"], body: #"{"ok": true}"#)
        _ = try await first.value

        let error = await thrown(ExchangeError.self) { try await behind.value }
        #expect(error?.retryAfter == 1000 && error?.attempts == 0)
        #expect(waiting.isPending && held.sent == 1)
        clock.advance(by: 1000)
        while held.sent < 2 { await Task.yield() }
        await held.answer(1, 200, body: #"{"ok": true}"#)
        _ = try await waiting.value
    }

    @Test("What a call waits for the limiter's own spacing is no wait for the service")
    func spacingIsNoWait() async throws {
        let (held, clock) = (HeldTransport(), ManualTimekeeper())
        let limiter = RateLimiter(limit: 1, per: 100, clock: clock.timekeeper)
        let client = held.client(limiter, clock) { $0.retry = RetryRule(attempts: 1, longestWait: 60) }
        let calls = (0..<3).map { _ in client.send(ThingServer.Call.get.endpoint) }
        await held.answer(0, 200, body: #"{"ok": true}"#)
        _ = try await calls[0].value
        clock.advance(by: 100)
        while held.sent < 2 { await Task.yield() }
        await held.answer(1, 429, ["Retry-After": "10"])
        _ = await calls[1].settled().value
        #expect(calls[2].isPending)
        clock.advance(by: 100)
        while held.sent < 3 { await Task.yield() }
        await held.answer(2, 200, body: #"{"ok": true}"#)
        _ = try await calls[2].value
    }

    @Test("A call that waits for a limiter is sent when its time comes, even if those before it have no response yet")
    func unanswered() async throws {
        let (held, clock) = (HeldTransport(), ManualTimekeeper())
        let client = held.client(RateLimiter(limit: 1, per: 60, clock: clock.timekeeper), clock)
        let calls = (0..<3).map { _ in client.send(ThingServer.Call.get.endpoint) }
        for sent in 1...3 {
            while held.sent < sent { await Task.yield() }
            #expect(held.sent == sent)
            clock.advance(by: 60)
        }
        for call in calls { call.cancel() }
    }

    @Test(
        "The wait for a closed limiter is part of a call's maximum total wait, that for its spacing is not",
        arguments: [true, false])
    func longestWait(isClosed: Bool) async throws {
        let (held, clock) = (HeldTransport(), ManualTimekeeper())
        let client = held.client(RateLimiter(limit: isClosed ? 500 : 1, per: 40, clock: clock.timekeeper), clock) {
            $0.retry = RetryRule(attempts: 2, longestWait: 60)
        }
        let first = client.send(ThingServer.Call.get.endpoint)
        let announced: HeaderFields = isClosed ? ["RateLimit-Remaining": "0", "RateLimit-Reset": "40"] : [:]
        await held.answer(0, 200, announced, body: #"{"ok": true}"#)
        _ = try await first.value
        let second = client.send(ThingServer.Call.get.endpoint)
        await DefaultExecutor.drain()
        clock.advance(by: 40)
        await DefaultExecutor.drain()
        await held.answer(1, 503, ["Retry-After": "30"])
        await Wait.until { clock.alarmCount > 0 || !second.isPending }
        #expect(second.isPending != isClosed)
        second.cancel()
    }

    @Test("A service that specifies no wait with each 429 is asked again after a second, and then after two")
    func literally() async throws {
        let things = try ThingServer()
        defer { things.server.stop() }
        things.server.script.next(2, respond: .empty(429, headers: ["Retry-After": "0"]))
        _ = try await things.client().send(ThingServer.Call.get.endpoint).value
        #expect(things.clock.waits == [1, 2])
    }

    /// Ten years.
    private static let jumps: [TimeInterval] = [3.2e8, -3.2e8]

    @Test("A clock that is set neither stalls nor releases the calls that wait for a limiter", arguments: jumps)
    func jumpWhileSpaced(jump: TimeInterval) async throws {
        let things = try ThingServer()
        defer { things.server.stop() }
        let manual = ManualTimekeeper()
        let limiter = RateLimiter(limit: 1, per: 60, clock: manual.timekeeper)
        let client = things.client { $0.limiter = limiter }
        _ = try await client.send(ThingServer.Call.get.endpoint).value
        let (early, late) = (client.send(ThingServer.Call.get.endpoint), client.send(ThingServer.Call.get.endpoint))
        await DefaultExecutor.drain()
        manual.advance(by: 30)
        manual.jump(by: jump)
        #expect(limiter.available == 0)
        manual.advance(by: 29)
        #expect(early.isPending)
        manual.advance(by: 1)
        _ = try await early.value
        manual.advance(by: 60)
        _ = try await late.value
    }

    @Test(
        "A clock that is set while a service permits nothing neither stalls the calls nor fails them",
        arguments: jumps, ["40", "Thu, 01 Jan 1970 00:00:40 GMT"])
    func jumpWhileClosed(jump: TimeInterval, asked: String) async throws {
        let (held, clock) = (HeldTransport(), ManualTimekeeper())
        let limiter = RateLimiter(limit: 500, clock: clock.timekeeper)
        let client = held.client(limiter, clock) {
            $0.retry = RetryRule(attempts: 1, longestWait: 60)
            $0.budget.seconds = 100
        }
        let first = client.send(ThingServer.Call.get.endpoint)
        await held.answer(0, 429, ["Retry-After": asked])
        _ = await first.settled().value
        let waiting = client.send(ThingServer.Call.get.endpoint)
        clock.advance(by: 20)
        clock.jump(by: jump)
        let late = client.send(ThingServer.Call.get.endpoint)
        await DefaultExecutor.drain()
        #expect(waiting.isPending && late.isPending && held.sent == 1)
        clock.advance(by: 20)
        while held.sent < 2 { await Task.yield() }
        await held.answer(1, 200, body: #"{"ok": true}"#)
        #expect(try await waiting.value.value.ok)
        clock.advance(by: 5)
        while held.sent < 3 { await Task.yield() }
        await held.answer(2, 200, body: #"{"ok": true}"#)
        #expect(try await late.value.value.ok)
    }

    @Test(
        "A clock that is set while a call waits for its retry neither stalls it nor uses up its budget",
        arguments: jumps)
    func jumpWhileRetrying(jump: TimeInterval) async throws {
        let (held, clock) = (HeldTransport(), ManualTimekeeper())
        let client = held.client(nil, clock) {
            $0.retry = RetryRule(attempts: 2, longestWait: 60)
            $0.budget.seconds = 100
            $0.totalTimeout = 100
        }
        let call = client.send(ThingServer.Call.get.endpoint)
        await held.answer(0, 503, ["Retry-After": "40"])
        while clock.alarmCount < 2 { await Task.yield() }
        clock.advance(by: 20)
        clock.jump(by: jump)
        clock.advance(by: 20)
        while held.sent < 2 { await Task.yield() }
        await held.answer(1, 200, body: #"{"ok": true}"#)
        #expect(try await call.value.value.ok)
    }

    @Test("A token that is refused long after its renewal is renewed again, even if the clock was set back meanwhile")
    func jumpAfterRenewal() async throws {
        let clock = ManualTimekeeper()
        let tokens = Counter()
        let refresher = TokenRefresher { _ in .value("t\(tokens.next())") }
        let first = try await refresher.token(replacing: "t0", clock.timekeeper).value
        clock.jump(by: -3.2e8)
        clock.advance(by: 60)
        #expect(try await refresher.token(replacing: first, clock.timekeeper).value == "t2")
    }

    @Test("A token is requested when the request may be sent, not before the wait, during which it could expire")
    func tokenAfterWait() async throws {
        final class Dated: TokenSource {
            let clock: InstantTimekeeper
            init(_ clock: InstantTimekeeper) { self.clock = clock }
            func token() -> Promise<String> { .value("t\(Int(clock.now.timeIntervalSince1970))") }
        }
        let things = try ThingServer()
        defer { things.server.stop() }
        let limiter = RateLimiter(limit: 1, per: 60, clock: things.clock.timekeeper)
        let client = things.client(.source(Dated(things.clock))) { $0.limiter = limiter }

        for _ in 0..<2 { _ = try await client.send(ThingServer.Call.get.endpoint).value }

        #expect(
            things.server.requests.map { $0.headers["Authorization"] } == [
                "Bearer t1700000000", "Bearer t1700000060",
            ])
    }
}

/// A transport whose requests wait for the answer that a test gives them.
private final class HeldTransport: HTTPTransport {
    private let waiting = Locked<[Resolver<HTTPReply>]>([])

    var sent: Int { waiting.withLock { $0.count } }

    func send(_ request: OutgoingRequest) -> Promise<HTTPReply> {
        let (promise, resolver) = Promise<HTTPReply>.pending()
        waiting.withLock { $0.append(resolver) }
        return promise
    }

    /// Answers a request as soon as it has been sent.
    func answer(_ index: Int, _ status: Int, _ headers: HeaderFields = [:], body: String = "") async {
        while sent <= index { await Task.yield() }
        let url = URL(fileURLWithPath: "/")
        waiting.withLock { $0[index] }.fulfill(
            HTTPReply(url: url, status: status, headers: headers, body: Data(body.utf8)))
    }

    func client(
        _ limiter: RateLimiter?, _ clock: ManualTimekeeper, _ adapt: (inout EndpointClient.Options) -> Void = { _ in }
    ) -> EndpointClient {
        var options = EndpointClient.Options()
        options.transport = self
        options.clock = clock.timekeeper
        options.retry = .never
        options.limiter = limiter
        adapt(&options)
        return EndpointClient(
            baseURL: URL(string: "https://things.example/") ?? URL(fileURLWithPath: "/"), options: options)
    }
}

extension Result {
    fileprivate var isFailure: Bool { (try? get()) == nil }
}
