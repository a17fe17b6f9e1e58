import Pledge
import PledgeTestSupport
import Testing

@Suite("Cancellation passes up a chain")
struct ClimbingTests {
    private let source = Source(Int.self)

    @Test("once the last dependent is canceled, however many were canceled before", arguments: 0..<24)
    func afterOthersHaveGone(gone: Int) async throws {
        let other = Source(Int.self)
        let winner = race(source.promise, other.promise)
        for dependent in (0..<gone).map({ _ in source.promise.map { $0 + 1 } }) {
            dependent.cancel()
            dependent.cancel()
        }
        other.seal.fulfill(1)
        #expect(try await winner.value == 1)
        await DefaultExecutor.drain()
        // Nothing waits for it anymore, but nothing has canceled it either.
        #expect(source.stopCount == 0)
        let last = source.promise.map { $0 + 1 }
        #expect(source.promise.isPending)
        last.cancel()
        #expect(source.stopCount == 1)
        #expect(source.promise.isRejected)
    }

    static let adoptions: [@Sendable (Promise<Int>, Promise<Int>) -> Promise<Int>] = [
        { start, inner in start.then { _ in inner } },
        { start, inner in start.then { _ in Promise().then { Promise().then { inner } } } },
        { start, inner in start.then { _ in Promise<Int>(error: Fault.one) }.recover { _ in inner } },
        { start, inner in start.map { [$0, $0] }.thenMap { _ in inner }.firstValue },
    ]

    @Test("to the promise that a closure returned, once it has run", arguments: adoptions)
    func adopted(adopt: @Sendable (Promise<Int>, Promise<Int>) -> Promise<Int>) async {
        let inner = Source(Int.self)
        let outer = adopt(source.promise, inner.promise).map { $0 + 1 }
        source.seal.fulfill(1)
        await DefaultExecutor.drain()
        outer.cancel()
        #expect(source.stopCount == 0)
        #expect(inner.stopCount == 1)
    }

    @Test(
        "to all promises of a combinator, even if one decides the outcome in the same step", arguments: [true, false])
    func meanwhile(isRace: Bool) async {
        let sources = [source, Source(Int.self), Source(Int.self)]
        let promise = isRace ? race(sources.map(\.promise)) : when(fulfilled: sources.map(\.promise)).firstValue
        await DefaultExecutor.drain()
        // In a handler that runs inline, where a cancellation takes effect at once as well.
        Promise().done(on: nil) {
            promise.cancel()
            if isRace { sources[0].seal.fulfill(1) } else { sources[0].seal.reject(Fault.one) }
        }.cauterize()
        await #expect(throws: PromiseError.cancelled) { try await promise.value }
        #expect(sources.map(\.stopCount) == [1, 1, 1])
    }

    @Test("to what it reaches when it begins, even if a cancel hook then adds a dependent")
    func newcomer() async {
        let other = Source(Int.self)
        let late = Recorder<Promise<Int>>()
        let first = source.promise
        other.seal.onCancel { late.append(first.map { $0 + 1 }) }
        when(fulfilled: first, other.promise).cancel()
        #expect(source.stopCount == 1)
        #expect(late.all.map(\.error?.isCancelled) == [true])
    }
}
