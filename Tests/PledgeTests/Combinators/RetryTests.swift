import Pledge
import PledgeTestSupport
import Testing

@Suite("retry")
struct RetryTests {
    private let time = ManualTimekeeper()
    private let attempts = Counter()

    /// Returns a closure that fails this many times and then returns the number of attempts.
    private func flaky(failures: Int) -> @Sendable () -> Promise<Int> {
        let attempts = attempts
        return {
            let number = attempts.next()
            return number <= failures ? Promise(error: Fault("\(number)")) : .value(number)
        }
    }

    /// Advances the clock through the pauses until `promise` has settled.
    private func finish(_ promise: Promise<Int>) async throws -> Int {
        while promise.isPending {
            await DefaultExecutor.drain()
            time.advance(by: 1)
        }
        return try await promise.value
    }

    @Test("makes one attempt if that succeeds, immediately and on the calling thread")
    func firstAttempt() async throws {
        let promise = retry(attempts: 3, timekeeper: time.timekeeper, flaky(failures: 0))
        #expect(attempts.value == 1)
        #expect(try await promise.value == 1)
        #expect(time.requested.isEmpty)
    }

    @Test("rejects with the last error after the given number of attempts")
    func givesUp() async {
        let promise = retry(attempts: 3, timekeeper: time.timekeeper, flaky(failures: 9))
        await #expect(throws: Fault("3")) { try await finish(promise) }
        #expect(attempts.value == 3)
    }

    @Test("retries if its closure throws")
    func throwing() async throws {
        let promise = retry(attempts: 2, timekeeper: time.timekeeper) { [attempts] () -> Promise<Int> in
            guard attempts.next() > 1 else { throw Fault.one }
            return .value(5)
        }
        #expect(try await finish(promise) == 5)
    }

    @Test("rejects immediately with an error that its condition excludes")
    func notWorthIt() async {
        let promise = retry(
            attempts: 3, if: { $0 as? Fault != Fault("2") }, timekeeper: time.timekeeper, flaky(failures: 9))
        await #expect(throws: Fault("2")) { try await finish(promise) }
    }

    @Test("never retries after cancellation")
    func cancellation() async {
        let promise = retry(attempts: 3, timekeeper: time.timekeeper) { [attempts] in
            attempts.increment()
            return Promise<Int>(error: CancellationError())
        }
        await #expect(throws: CancellationError.self) { try await promise.value }
        #expect(attempts.value == 1)
    }

    @Test("waits between attempts as its delay specifies")
    func delays() async {
        let delay = RetryDelay { Double($0) * 10 }
        let promise = retry(attempts: 4, delay: delay, timekeeper: time.timekeeper, flaky(failures: 9))
        await #expect(throws: Fault("4")) { try await finish(promise) }
        #expect(time.requested == [10, 20, 30])
    }

    @Test("waits for as long as the error says, if its delay looks at that")
    func errorDelays() async {
        let delay = RetryDelay { failures, error in (error as? Fault).flatMap { Double($0.name) } ?? Double(-failures) }
        let promise = retry(attempts: 4, delay: delay, timekeeper: time.timekeeper, flaky(failures: 9))
        await #expect(throws: Fault("4")) { try await finish(promise) }
        #expect(time.requested == [1, 2, 3])
    }

    @Test("makes no attempt before its delay is over")
    func waits() async throws {
        let promise = retry(
            attempts: 2, delay: .constant(seconds: 5), timekeeper: time.timekeeper, flaky(failures: 1))
        await DefaultExecutor.drain()
        time.advance(by: 4.9)
        await DefaultExecutor.drain()
        #expect(attempts.value == 1)
        time.advance(by: 0.1)
        #expect(try await promise.value == 2)
    }

    @Test("doubles the bound of an exponential delay each time, up to a maximum, and waits a random part of it")
    func exponential() {
        let longest = RetryDelay.exponential(first: 1, most: 5) { $0.upperBound }
        #expect((1...5).map { longest.seconds($0, Fault.one) } == [1, 2, 4, 5, 5])
        let shortest = RetryDelay.exponential(first: 1) { $0.lowerBound }
        #expect((1...3).map { shortest.seconds($0, Fault.one) } == [0, 0, 0])
        #expect((0.0...0.5).contains(RetryDelay.exponential().seconds(1, Fault.one)))
        #expect((0...1e9).contains(RetryDelay.exponential(most: .infinity).seconds(5000, Fault.one)))
        #expect(RetryDelay.none.seconds(3, Fault.one) == 0)
    }

    @Test(
        "has no exponential delay if a number is negative, zero, or not one",
        arguments: [(-1, 30), (.nan, 30), (0, 30), (1, -1), (1, .nan), (1, 0)] as [(Double, Double)])
    func noExponential(first: Double, most: Double) {
        let delay = RetryDelay.exponential(first: first, most: most)
        #expect([1, 2, 5000].map { delay.seconds($0, Fault.one) } == [0, 0, 0])
    }

    @Test("with fewer than one attempt is rejected, and the error names the minimum", arguments: [0, -1])
    func badCount(count: Int) async throws {
        let error = try #require(await retry(attempts: count, flaky(failures: 0)).failure())
        #expect("\(error)" == "retry cannot make \(count) attempts: the minimum is 1.")
        #expect(attempts.value == 0)
    }

    @Test("that is canceled during a delay cancels its timer and makes no further attempt")
    func cancelPause() async {
        let promise = retry(
            attempts: 3, delay: .constant(seconds: 5), timekeeper: time.timekeeper, flaky(failures: 9))
        await DefaultExecutor.drain()
        #expect(time.alarmCount == 1)
        promise.cancel()
        #expect(time.alarmCount == 0)
        await #expect(throws: PromiseError.cancelled) { try await promise.value }
        await DefaultExecutor.drain()
        #expect(attempts.value == 1)
    }
}
