import Pledge
import PledgeTestSupport
import Testing

@Suite("Cancellation passes up a chain")
struct ClimbingTests {
    private let source = Source(Int.self)

    @Test("through every operator, and stops the source once")
    func throughEveryVerb() async {
        let verbs: [@Sendable (Promise<Int>) -> any Thenable] = [
            { $0.map { $0 } }, { $0.then { Promise.value($0) } }, { $0.compactMap { $0 } }, { $0.done { _ in } },
            { $0.get { _ in } }, { $0.tap { _ in } }, { $0.asVoid() }, { $0.map(\.description) },
            { $0.ensure {} }, { $0.ensureThen { Guarantee() } }, { $0.catch { _ in } },
            { $0.catch(only: Fault.self) { _ in } }, { $0.catch(only: Fault.one) { _ in } }, { $0.cauterize() },
            { $0.recover { _ in Promise.value(0) } }, { $0.recover(only: Fault.one) { _ in Promise.value(0) } },
            { $0.recover { _ in Guarantee.value(0) } }, { $0.mapError { $0 } }, { Promise($0) },
            { promise in firstly { promise } }, { $0.map { [$0] }.mapValues { $0 }.firstValue },
            { $0.timeout(seconds: 9, timekeeper: ManualTimekeeper().timekeeper) },
        ]
        for (number, verb) in verbs.enumerated() {
            let source = Source(Int.self)
            verb(source.promise).cancel()
            #expect(source.stopCount == 1, "verb \(number)")
            #expect(source.promise.error as? PromiseError == .cancelled, "verb \(number)")
        }
    }

    @Test("through a thousand operators")
    func longChain() {
        var chain = source.promise
        for _ in 0..<1_000 { chain = chain.map { $0 + 1 } }
        chain.cancel()
        #expect(source.stopCount == 1)
    }

    @Test("but not past a promise for which another handler waits")
    func otherDependent() async throws {
        let other = source.promise.map { $0 + 1 }
        source.promise.map { $0 * 2 }.cancel()
        #expect(source.stopCount == 0)
        source.seal.fulfill(1)
        #expect(try await other.value == 2)
    }

    @Test("once the last dependent is canceled", arguments: [2, 3, 20])
    func lastDependent(count: Int) {
        let dependents = (0..<count).map { _ in source.promise.map { $0 + 1 } }
        for dependent in dependents.dropLast() {
            dependent.cancel()
            dependent.cancel()
        }
        #expect(source.stopCount == 0)
        dependents.last?.cancel()
        #expect(source.stopCount == 1)
        #expect(source.promise.isRejected)
    }

    @Test("once the last dependent is canceled, however many were canceled before", arguments: 0..<24)
    func afterOthersHaveGone(gone: Int) async throws {
        let other = Source(Int.self)
        let winner = race(source.promise, other.promise)
        for dependent in (0..<gone).map({ _ in source.promise.map { $0 + 1 } }) { dependent.cancel() }
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

    @Test("to the promise for which then waits, before its closure has run")
    func thenBeforeAdoption() async {
        let promise = source.promise.then { _ -> Promise<Int> in
            Issue.record("ran although canceled")
            return .value(0)
        }
        promise.cancel()
        await DefaultExecutor.drain()
        #expect(source.stopCount == 1)
    }

    @Test("to the promise that then's closure returned, once it has run")
    func thenAfterAdoption() async {
        let inner = Source(Int.self)
        let outer = source.promise.then { _ in inner.promise }.map { $0 + 1 }
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

    @Test("through several levels of returned promises")
    func nestedAdoption() async {
        let inner = Source(Int.self)
        let outer = Promise().then { Promise().then { Promise().then { inner.promise } } }
        await DefaultExecutor.drain()
        outer.cancel()
        #expect(inner.stopCount == 1)
    }

    @Test("but not past an inner promise for which another handler waits")
    func sharedInner() async throws {
        let inner = Source(Int.self)
        let outer = Promise().then { inner.promise }
        let other = inner.promise.map { $0 + 1 }
        await DefaultExecutor.drain()
        outer.cancel()
        #expect(inner.stopCount == 0)
        inner.seal.fulfill(1)
        #expect(try await other.value == 2)
    }

    @Test("to the promise that recover's closure returned, once it has run")
    func recover() async {
        let inner = Source(Int.self)
        let promise = source.promise.recover { _ in inner.promise }
        source.seal.reject(Fault.one)
        await DefaultExecutor.drain()
        promise.cancel()
        #expect(inner.stopCount == 1)
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

    @Test("to a promise that a combinator contains more than once")
    func sameTwice() {
        race(source.promise, source.promise).cancel()
        #expect(source.stopCount == 1)
        let again = Source(Int.self)
        when(resolved: [again.promise, again.promise]).cancel()
        #expect(again.stopCount == 1)
        let third = Source(Int.self)
        when(fulfilled: third.promise, third.promise, third.promise).cancel()
        #expect(third.stopCount == 1)
    }

    @Test("and runs any number of hooks in the order in which they were set")
    func manyHooks() {
        SmallStack.run {
            let order = Recorder<Int>()
            let (promise, seal) = Promise<Int>.pending()
            for number in 0..<100_000 {
                seal.onCancel { if number % 20_000 == 0 { order.append(number) } }
            }
            promise.cancel()
            #expect(order.all == [0, 20_000, 40_000, 60_000, 80_000])
        }
    }
}
