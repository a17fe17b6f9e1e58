import Pledge
import PledgeTestSupport
import Testing

@Suite("race")
struct RaceTests {
    private let sources = [Source(Int.self), Source(Int.self), Source(Int.self)]

    private var promises: [Promise<Int>] { sources.map(\.promise) }

    @Test(
        "`race` takes the outcome of the first promise to settle; among settled promises, the first in the list wins",
        arguments: [true, false])
    func first(isFulfilled: Bool) async {
        let promise = race(promises)
        if isFulfilled { sources[1].seal.fulfill(2) } else { sources[1].seal.reject(Fault.one) }
        sources[0].seal.fulfill(1)
        let outcome = "\(await promise.outcome())"
        #expect(outcome == (isFulfilled ? "success(2)" : "failure(one)"))
        #expect("\(await race(promises[2], promises[1], promises[0]).outcome())" == outcome)
    }

    @Test("`race` and `race(fulfilled:)` of no promises reject with an explanation")
    func nothing() throws {
        for none in [race([Promise<Int>]()), race(fulfilled: [Promise<Int>]())] {
            let error = try #require(none.error)
            #expect("\(error)" == "race was given no promises, so none can ever win.")
        }
    }

    @Test("If all promises are rejected, `race(fulfilled:)` rejects with all their errors in the order of the promises")
    func allRejected() async throws {
        let promise = race(fulfilled: promises)
        for (source, fault) in zip(sources, [Fault.one, .two, .one]).reversed() { source.seal.reject(fault) }
        let error = try #require(await promise.failure())
        #expect(error as? PromiseError == .noWinner([Fault.one, Fault.two, Fault.one]))
        #expect(error as? PromiseError != .noWinner([Fault.two, Fault.one, Fault.one]))
        #expect("\(error)" == "None of the promises that raced was fulfilled: one; two; one")
    }

    @Test("Deeply nested calls of `race(fulfilled:)` reject with one list of all errors, even on a small stack")
    func nested() async {
        let depth = SmallStack.depth
        await SmallStack.run {
            var promise = Promise<Int>(error: Fault.one)
            for _ in 0..<depth { promise = race(fulfilled: promise, Promise(error: Fault.two)) }
            let error = promise.error as? PromiseError
            guard case .noWinner(let errors)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(errors.compactMap { $0 as? Fault } == [.one] + Array(repeating: .two, count: depth))
        }
    }

    @Test(
        "`race(fulfilled:)` is canceled if all its promises are canceled, but not if one of them has failed",
        arguments: [true, false])
    func allCancelled(areAll: Bool) async {
        let promise = race(fulfilled: promises)
        for source in sources.dropFirst() { source.promise.cancel() }
        if areAll { sources[0].promise.cancel() } else { sources[0].seal.reject(Fault.one) }
        #expect(await promise.failure()?.isCancelled == areAll)
    }
}
