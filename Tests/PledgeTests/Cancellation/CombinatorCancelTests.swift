import Pledge
import PledgeTestSupport
import Testing

@Suite("Cancellation of combinators passes")
struct CombinatorCancelTests {
    private let sources = [Source(Int.self), Source(Int.self), Source(Int.self)]

    private var promises: [Promise<Int>] { sources.map(\.promise) }
    private var stops: [Int] { sources.map(\.stopCount) }

    @Test("to every promise for which when(fulfilled:) waits")
    func whenFulfilled() async {
        let promise = when(fulfilled: promises)
        promise.cancel()
        #expect(stops == [1, 1, 1])
        await #expect(throws: PromiseError.cancelled) { try await promise.value }
    }

    @Test("only to the pending promises of when(fulfilled:) without other dependents")
    func whenPartly() async {
        let promise = when(fulfilled: promises)
        let other = sources[1].promise.map { $0 }
        sources[0].seal.fulfill(1)
        await DefaultExecutor.drain()
        promise.cancel()
        #expect(stops == [0, 0, 1])
        #expect(other.isPending)
    }

    @Test("from the end of a chain after when")
    func whenChain() {
        when(fulfilled: promises).map(\.count).asVoid().cancel()
        #expect(stops == [1, 1, 1])
    }

    @Test("through a when inside a when")
    func nested() {
        when(fulfilled: when(fulfilled: promises), when(fulfilled: [sources[0].promise])).cancel()
        #expect(stops == [1, 1, 1])
    }

    @Test("to every promise for which race waits")
    func racing() {
        race(promises).cancel()
        #expect(stops == [1, 1, 1])
    }

    @Test("to every promise for which race(fulfilled:) still waits")
    func racingFulfilled() async {
        let promise = race(fulfilled: promises)
        sources[0].seal.reject(Fault.one)
        await DefaultExecutor.drain()
        promise.cancel()
        #expect(stops == [0, 1, 1])
    }

    // In a handler that runs inline, where a cancellation takes effect at once as well.
    private func cancel<T>(_ promise: Promise<T>, and decide: @escaping @Sendable () -> Void) async {
        await DefaultExecutor.drain()
        Promise().done(on: nil) {
            promise.cancel()
            decide()
        }.cauterize()
        await #expect(throws: PromiseError.cancelled) { try await promise.value }
    }

    @Test("to all of a race, even if one is fulfilled in the same step")
    func racingMeanwhile() async {
        await cancel(race(promises)) { [sources] in sources[0].seal.fulfill(1) }
        #expect(stops == [1, 1, 1])
    }

    @Test("to all of a when(fulfilled:), even if one rejects in the same step")
    func whenMeanwhile() async {
        await cancel(when(fulfilled: promises)) { [sources] in sources[0].seal.reject(Fault.one) }
        #expect(stops == [1, 1, 1])
    }

    @Test("to no promise once when has rejected")
    func afterRejection() async {
        let promise = when(fulfilled: promises)
        sources[0].seal.reject(Fault.one)
        _ = await promise.outcome()
        promise.cancel()
        #expect(stops == [0, 0, 0])
    }

    @Test("from another dependent once a rejected when no longer waits")
    func whenLetsGo() async {
        let promise = when(fulfilled: promises)
        let other = sources[1].promise.map { $0 }
        sources[0].seal.reject(Fault.one)
        _ = await promise.outcome()
        other.cancel()
        #expect(stops == [0, 1, 0])
    }

    @Test("from another dependent once a race is over")
    func raceLetsGo() async {
        let promise = race(promises)
        let other = sources[1].promise.map { $0 }
        sources[0].seal.fulfill(1)
        _ = await promise.outcome()
        other.cancel()
        #expect(stops == [0, 1, 0])
    }

    @Test("from another dependent if when had an error from the beginning", arguments: 0..<20)
    func whenLetsGoAtOnce(round: Int) async {
        let promise = when(fulfilled: [Promise(error: Fault.one)] + promises)
        let others = promises.map { $0.map { $0 } }
        _ = await promise.outcome()
        for other in others { other.cancel() }
        #expect(stops == [1, 1, 1])
    }

    @Test("to the promises for which timeout, retry, and thenMap wait")
    func others() async {
        let time = ManualTimekeeper()
        let promises = promises
        promises[0].timeout(seconds: 1, timekeeper: time.timekeeper).cancel()
        retry(attempts: 2, timekeeper: time.timekeeper) { promises[1] }.cancel()
        let third = Promise.value([2]).thenMap { promises[$0] }
        await DefaultExecutor.drain()
        third.cancel()
        #expect(stops == [1, 1, 1])
        #expect(time.alarmCount == 0)
    }
}
