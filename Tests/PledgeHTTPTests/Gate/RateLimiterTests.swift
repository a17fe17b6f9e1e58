import Foundation
import PledgeSandbox
import PledgeTestSupport
import Testing

@testable import PledgeHTTP

@Suite("A rate limiter", .serialized)
final class RateLimiterTests: ThingSuite {
    private let held = HeldTransport()
    private let clock = ManualTimekeeper()

    /// Jumps of the clock by about ten years, ahead and back.
    private static let jumps: [TimeInterval] = [3.2e8, -3.2e8]

    @Test("A limiter refuses a call if the total wait of consecutive calls would exceed the limiter's maximum")
    func longestWait() async throws {
        let limiter = RateLimiter(limit: 3, per: 60, clock: things.clock.timekeeper, waitingAtMost: 120)
        let client = things.client { $0.limiter = limiter }
        for _ in 0..<9 { _ = try await client.get().value }
        let refused = await client.get().settled().value
        #expect(things.clock.waits == [60, 60])
        #expect((refused.failure as? ExchangeError)?.retryAfter == 60 && things.server.requests.count == 9)
    }

    /// Returns a response that contains the resource and announces that no request is permitted for the given seconds.
    private func closing(for seconds: Int) -> ServerResponse {
        let headers: ServerHeaders = [
            "RateLimit-Limit": "500", "RateLimit-Remaining": "0", "RateLimit-Reset": "\(seconds)",
        ]
        return ServerResponse(status: 200, headers: headers, body: Data(#"{"ok": true}"#.utf8))
    }

    @Test("A limiter adopts the limit that the service announces, and waits when that limit is used up")
    func announced() async throws {
        things.respond(closing(for: 1260))
        let limiter = RateLimiter(limit: 500, clock: things.clock.timekeeper)
        let client = things.client {
            $0.limiter = limiter
            $0.retry = RetryRule(longestWait: 1260)
        }
        _ = try await client.get().value
        #expect(limiter.available == 0)
        _ = try await client.get().value
        #expect(things.clock.waits == [1260])
    }

    @Test("A request counts toward the limit until one period after its response arrived or it was canceled")
    func underWay() async throws {
        let limiter = RateLimiter(limit: 2, per: 1, clock: clock.timekeeper)
        let client = held.client(clock, limiter)
        let calls = (0..<4).map { _ in client.get() }
        clock.advance(by: 5)
        #expect(held.sent == 2 && limiter.available == 0)
        await held.answer(0, 200)
        _ = try await calls[0].value
        calls[1].cancel()
        // The limiter notices the cancellation a moment later, when the call has released its request.
        await Wait.until { clock.requested.last == 1 }
        clock.advance(by: 0.5)
        #expect(held.sent == 2)
        clock.advance(by: 0.5)
        await Wait.until { held.sent == 4 }
        for call in calls { call.cancel() }
    }

    @Test(
        "Waiting calls are sent on time even if earlier requests get no response; a canceled call loses its turn")
    func waiting() async throws {
        let client = held.client(clock, RateLimiter(limit: 1, per: 60, clock: clock.timekeeper))
        let calls = (0..<4).map { _ in client.get() }
        calls[1].cancel()
        #expect(calls[1].error?.isCancelled == true)
        for sent in 1...3 {
            await Wait.until { held.sent >= sent }
            #expect(held.sent == sent)
            // The limiter assumes that a request reaches the service within 30 seconds. The next request follows 60
            // seconds later.
            clock.advance(by: 90)
        }
        await held.answer(1, 200)
        #expect(try await calls[2].value.value.ok && calls[3].isPending)
        for call in calls { call.cancel() }
    }

    @Test("If a service closes a limiter for 31 years, calls fail at once, and the limiter reopens after an hour")
    func closedForDecades() async throws {
        things.respond(closing(for: 999_999_999))
        let limiter = RateLimiter(limit: 500, clock: things.clock.timekeeper)
        let client = things.client { $0.limiter = limiter }
        _ = try await client.get().value
        let error = await thrown(ExchangeError.self) { try await client.get().value }
        #expect(error?.attempts == 0 && error?.retryAfter == 3600)
        #expect("\(error as Any)".contains("no request for another 3600 s, until 2023-11-14T23:13:20Z."))
        #expect(things.clock.waits.isEmpty && things.server.requests.count == 1)
        _ = things.clock.timekeeper.schedule(3600) {}
        _ = try await client.get().value
    }

    @Test("After a 429 without Retry-After, only one of the waiting calls is sent after a minute")
    func bare() async throws {
        let client = held.client(clock, RateLimiter(limit: 500, clock: clock.timekeeper))
        let first = client.get()
        await held.answer(0, 429)
        _ = await first.settled().value
        let waiting = (0..<5).map { _ in client.get() }
        #expect(held.sent == 1)
        clock.advance(by: 60)
        await held.answer(1, 429)
        // Once this call has failed, the limiter has processed the second 429. Responses aren't processed on the
        // default queue, so draining that queue wouldn't show it.
        _ = await waiting[0].settled().value
        clock.advance(by: 5)
        for call in waiting { #expect(await call.failure() != nil) }
        #expect(held.sent == 2)
    }

    @Test("A call that waits for a limiter fails as soon as the service announces a longer wait than the call accepts")
    func heldBack() async throws {
        let limiter = RateLimiter(limit: 1, per: 30, clock: clock.timekeeper)
        let (patient, hasty) = (
            held.client(clock, limiter) { $0.retry = RetryRule(longestWait: 2000) },
            held.client(clock, limiter) { $0.retry = RetryRule(longestWait: 60) }
        )
        let first = patient.get()
        let waiting = patient.get()
        let behind = hasty.get()
        let exact = held.client(clock, limiter) { $0.retry = RetryRule(longestWait: 1000) }.get()
        await held.answer(0, 200, ["RateLimit-Remaining": "0", "RateLimit-Reset": "1000"])
        _ = try await first.value
        let error = await thrown(ExchangeError.self) { try await behind.value }
        #expect(error?.retryAfter == 1000 && error?.attempts == 0)
        #expect(waiting.isPending && exact.isPending && held.sent == 1)
        exact.cancel()
        clock.advance(by: 1000)
        await held.answer(1, 200)
        _ = try await waiting.value
    }

    @Test("The time that a call waits for the limiter's spacing doesn't count toward its maximum wait for the service")
    func spacingIsNoWait() async throws {
        let limiter = RateLimiter(limit: 1, per: 100, clock: clock.timekeeper)
        let client = held.client(clock, limiter) { $0.retry = RetryRule(attempts: 1, longestWait: 60) }
        let calls = (0..<3).map { _ in client.get() }
        await held.answer(0, 200)
        _ = try await calls[0].value
        clock.advance(by: 100)
        await held.answer(1, 429, ["Retry-After": "10"])
        _ = await calls[1].settled().value
        #expect(calls[2].isPending)
        clock.advance(by: 100)
        await held.answer(2, 200)
        _ = try await calls[2].value
    }

    @Test(
        "A call's maximum total wait includes the wait for a closed limiter, but not the limiter's spacing",
        arguments: [true, false])
    func longestWait(isClosed: Bool) async throws {
        let client = held.client(clock, RateLimiter(limit: isClosed ? 500 : 1, per: 1, clock: clock.timekeeper)) {
            $0.retry = RetryRule(attempts: 2, longestWait: 60)
        }
        let first = client.get()
        let announced: HeaderFields = isClosed ? ["RateLimit-Remaining": "0", "RateLimit-Reset": "1"] : [:]
        await held.answer(0, 200, announced)
        _ = try await first.value
        let second = client.get()
        clock.advance(by: 1)
        await held.answer(1, 503, ["Retry-After": "60"])
        await Wait.until { clock.alarmCount > 0 || !second.isPending }
        #expect(second.isPending != isClosed)
        second.cancel()
    }

    @Test("Setting the clock neither delays nor releases the calls that wait for a limiter", arguments: jumps)
    func jumpWhileSpaced(jump: TimeInterval) async throws {
        let limiter = RateLimiter(limit: 1, per: 60, clock: clock.timekeeper)
        let client = things.client { $0.limiter = limiter }
        _ = try await client.get().value
        let (early, late) = (client.get(), client.get())
        clock.advance(by: 30)
        clock.jump(by: jump)
        #expect(limiter.available == 0)
        clock.advance(by: 29)
        #expect(early.isPending)
        clock.advance(by: 1)
        _ = try await early.value
        clock.advance(by: 60)
        _ = try await late.value
    }

    @Test(
        "Setting the clock while a service permits no requests neither delays the waiting calls nor fails them",
        arguments: jumps, ["40", "Thu, 01 Jan 1970 00:00:40 GMT"])
    func jumpWhileClosed(jump: TimeInterval, asked: String) async throws {
        let limiter = RateLimiter(limit: 500, clock: clock.timekeeper)
        let client = held.client(clock, limiter) {
            $0.retry = RetryRule(attempts: 1, longestWait: 60)
            $0.budget.seconds = 100
        }
        let first = client.get()
        await held.answer(0, 429, ["Retry-After": asked])
        _ = await first.settled().value
        let waiting = client.get()
        clock.advance(by: 20)
        clock.jump(by: jump)
        let late = client.get()
        #expect(waiting.isPending && late.isPending && held.sent == 1)
        clock.advance(by: 20)
        await held.answer(1, 200)
        #expect(try await waiting.value.value.ok)
        await held.answer(2, 200)
        #expect(try await late.value.value.ok)
    }
}
