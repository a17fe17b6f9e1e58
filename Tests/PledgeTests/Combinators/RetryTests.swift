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
    private func finish(_ promise: Promise<Int>, _ time: ManualTimekeeper) async -> Result<Int, any Error> {
        while promise.isPending {
            await DefaultExecutor.drain()
            time.advance(by: 1)
        }
        return await promise.outcome()
    }

    /// The delay and the condition, how many attempts fail, and what follows: how it ends, and the pauses.
    private typealias Row = (
        delay: RetryDelay, isWorthIt: @Sendable (any Error) -> Bool, failures: Int, end: String, pauses: [Double]
    )

    @Test("makes up to so many attempts, the first at once, pauses as its delay says, and ends with the last outcome")
    func attempts() async {
        let byError = RetryDelay { _, error in (error as? Fault).flatMap { Double($0.name) } ?? -1 }
        let rows: [Row] = [
            (.none, { _ in true }, 0, "success(1)", []),
            (.none, { _ in true }, 3, "success(4)", []),
            (.none, { _ in true }, 9, "failure(4)", []),
            (.none, { $0 as? Fault != Fault("2") }, 9, "failure(2)", []),
            (RetryDelay { Double($0) * 10 }, { _ in true }, 9, "failure(4)", [10, 20, 30]),
            (byError, { _ in true }, 9, "failure(4)", [1, 2, 3]),
        ]
        for row in rows {
            let (time, attempts) = (ManualTimekeeper(), Counter())
            let promise = retry(attempts: 4, delay: row.delay, if: row.isWorthIt, timekeeper: time.timekeeper) {
                let number = attempts.next()
                return number <= row.failures ? Promise(error: Fault("\(number)")) : Promise.value(number)
            }
            #expect(attempts.value > 0)
            #expect("\(await finish(promise, time))" == row.end && row.end.contains("\(attempts.value)"))
            #expect(time.requested == row.pauses)
        }
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

    @Test("retries if its closure throws")
    func throwing() async throws {
        let promise = retry(attempts: 2, timekeeper: time.timekeeper) { [attempts] () -> Promise<Int> in
            guard attempts.next() > 1 else { throw Fault.one }
            return .value(5)
        }
        #expect(try await promise.value == 5)
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
