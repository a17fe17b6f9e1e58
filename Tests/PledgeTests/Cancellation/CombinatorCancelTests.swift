import Pledge
import PledgeTestSupport
import Testing

@Suite("Cancellation of combinators passes")
struct CombinatorCancelTests {
    private let sources = [Source(Int.self), Source(Int.self), Source(Int.self)]

    private var promises: [Promise<Int>] { sources.map(\.promise) }
    private var stops: [Int] { sources.map(\.stopCount) }

    static let combinators: [@Sendable ([Promise<Int>]) -> Promise<Int>] = [
        { when(fulfilled: $0).firstValue },
        { when(fulfilled: when(fulfilled: $0), when(fulfilled: [$0[0]])).map { lists in lists.0[0] } },
        { when(fulfilled: $0.makeIterator(), concurrently: 3).firstValue },
        { race($0) },
        { race(fulfilled: $0) },
    ]

    @Test("from the end of a chain to every promise for which they wait", arguments: combinators)
    func toAll(combine: @Sendable ([Promise<Int>]) -> Promise<Int>) async {
        let end = combine(promises).asVoid()
        await DefaultExecutor.drain()
        end.cancel()
        #expect(stops == [1, 1, 1])
        await #expect(throws: PromiseError.cancelled) { try await end.value }
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

    @Test("to all promises, even if one decides the outcome in the same step", arguments: [true, false])
    func meanwhile(isRace: Bool) async {
        let promise = isRace ? race(promises) : when(fulfilled: promises).firstValue
        await DefaultExecutor.drain()
        // In a handler that runs inline, where a cancellation takes effect at once as well.
        Promise().done(on: nil) { [sources] in
            promise.cancel()
            if isRace { sources[0].seal.fulfill(1) } else { sources[0].seal.reject(Fault.one) }
        }.cauterize()
        await #expect(throws: PromiseError.cancelled) { try await promise.value }
        #expect(stops == [1, 1, 1])
    }

    @Test("to no promise once the outcome is decided, which then waits only for others", arguments: [true, false])
    func letsGo(isRace: Bool) async {
        let promise = isRace ? race(promises) : when(fulfilled: promises).firstValue
        let other = sources[1].promise.map { $0 }
        if isRace { sources[0].seal.fulfill(1) } else { sources[0].seal.reject(Fault.one) }
        _ = await promise.outcome()
        promise.cancel()
        #expect(stops == [0, 0, 0])
        other.cancel()
        #expect(stops == [0, 1, 0])
    }
}
