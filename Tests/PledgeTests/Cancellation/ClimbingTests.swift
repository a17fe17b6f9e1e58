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

    @Test("only as far as the nearest branch with another dependent")
    func fork() {
        let trunk = source.promise.map { $0 + 1 }
        let left = trunk.map { $0 + 1 }
        let right = trunk.map { $0 + 2 }
        left.map { $0 }.cancel()
        #expect(left.isRejected)
        #expect(trunk.isPending)
        right.cancel()
        #expect(trunk.isRejected)
        #expect(source.stopCount == 1)
    }

    @Test("but not past a promise on which pipe waits")
    func pipe() async {
        let outcomes = Recorder<Int?>()
        source.promise.pipe { outcomes.append(try? $0.get()) }
        source.promise.map { $0 }.cancel()
        #expect(source.stopCount == 0)
        source.seal.fulfill(1)
        await DefaultExecutor.drain()
        #expect(outcomes.all == [1])
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

    @Test("to the promise that then's closure returns, even while the closure runs")
    func thenWhileRunning() async {
        let inner = Source(Int.self)
        let itself = Locked<Promise<Int>?>(nil)
        let outer = source.promise.then { _ -> Promise<Int> in
            itself.withLock { $0 }?.cancel()
            return inner.promise
        }
        itself.withLock { $0 = outer }
        source.seal.fulfill(1)
        await #expect(throws: PromiseError.cancelled) { try await outer.value }
        await DefaultExecutor.drain()
        #expect(inner.stopCount == 1)
        itself.withLock { $0 = nil }
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
