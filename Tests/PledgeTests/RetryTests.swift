import Pledge
import PledgeTestSupport
import Testing

@Suite("retry")
struct RetryTests {
    /// The delay, the condition, and the attempts of a retry, and what the test expects: the outcome, the number of attempts,
    /// and the pauses between them.
    private typealias Row = (
        delay: RetryDelay, isWorthIt: @Sendable (any Error) -> Bool, attempt: @Sendable (Int) throws -> Promise<Int>,
        end: String, last: Int, pauses: [Double]
    )

    @Test("`retry` makes its first attempt at once, pauses as its delay says, and ends with the last attempt's outcome")
    func attempts() async {
        let byError = RetryDelay { _, error in (error as? Fault).flatMap { Double($0.name) } ?? -1 }
        let fails: @Sendable (Int) -> Promise<Int> = { Promise(error: Fault("\($0)")) }
        let always: @Sendable (any Error) -> Bool = { _ in true }
        let rows: [Row] = [
            (.none, always, { .value($0) }, "success(1)", 1, []),
            (.none, always, { $0 > 3 ? .value($0) : fails($0) }, "success(4)", 4, []),
            (.none, always, { if $0 > 1 { .value($0) } else { throw Fault.one } }, "success(2)", 2, []),
            (.none, always, fails, "failure(4)", 4, []),
            (.none, { $0 as? Fault != Fault("2") }, fails, "failure(2)", 2, []),
            (.none, always, { _ in throw CancellationError() }, "failure(Swift.CancellationError())", 1, []),
            (RetryDelay { failures, _ in Double(failures) * 10 }, always, fails, "failure(4)", 4, [10, 20, 30]),
            (byError, always, fails, "failure(4)", 4, [1, 2, 3]),
        ]
        for row in rows {
            let (time, attempts) = (ManualTimekeeper(), Counter())
            let promise = retry(attempts: 4, delay: row.delay, if: row.isWorthIt, timekeeper: time.timekeeper) {
                try row.attempt(attempts.next())
            }
            #expect(attempts.value > 0)
            for _ in 0..<100 where promise.isPending {
                await DefaultExecutor.drain()
                time.advance(by: 1)
            }
            #expect("\(await promise.outcome())" == row.end && attempts.value == row.last)
            #expect(time.requested == row.pauses)
        }
    }

    @Test("An exponential delay is a random time below a limit that doubles with each failure, up to a maximum")
    func exponential() {
        let longest = RetryDelay.exponential(first: 1, most: 5) { $0.upperBound }
        #expect((1...5).map { longest.seconds($0, Fault.one) } == [1, 2, 4, 5, 5])
        #expect(RetryDelay.exponential(most: 0.1) { $0.upperBound }.seconds(1, Fault.one) == 0.1)
        let shortest = RetryDelay.exponential(first: 1) { $0.lowerBound }
        #expect((1...3).map { shortest.seconds($0, Fault.one) } == [0, 0, 0])
        #expect((0.0...0.5).contains(RetryDelay.exponential().seconds(1, Fault.one)))
        #expect((0...1e9).contains(RetryDelay.exponential(most: .infinity).seconds(5000, Fault.one)))
        #expect(RetryDelay.none.seconds(3, Fault.one) == 0)
        for (first, most) in [(-1, 30), (.nan, 30), (0, 30), (1, -1), (1, .nan), (1, 0)] as [(Double, Double)] {
            let none = RetryDelay.exponential(first: first, most: most)
            #expect([1, 2, 5000].map { none.seconds($0, Fault.one) } == [0, 0, 0], "\(first), \(most)")
        }
    }

    @Test("`retry` with fewer than one attempt rejects with an error that names the minimum", arguments: [0, -1])
    func badCount(count: Int) async throws {
        let attempts = Counter()
        let error = try #require(await retry(attempts: count) { Promise.value(attempts.next()) }.failure())
        #expect("\(error)" == "retry cannot make \(count) attempts: the minimum is 1.")
        #expect(attempts.value == 0)
    }

    @Test("`retry` makes no attempt before its delay is over; a cancel stops the timer and all further attempts")
    func waits() async {
        let (time, attempts) = (ManualTimekeeper(), Counter())
        let promise = retry(attempts: 4, delay: .constant(seconds: 5), timekeeper: time.timekeeper) {
            Promise<Int>(error: Fault("\(attempts.next())"))
        }
        for (seconds, made) in [(0, 1), (4.9, 1), (0.1, 2), (4.9, 2)] {
            time.advance(by: seconds)
            await DefaultExecutor.drain()
            #expect(attempts.value == made && time.alarmCount == 1)
        }
        promise.cancel()
        #expect(time.alarmCount == 0)
        await #expect(throws: PromiseError.cancelled) { try await promise.value }
        await DefaultExecutor.drain()
        #expect(attempts.value == 2)
    }
}
