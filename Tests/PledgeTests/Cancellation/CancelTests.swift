import Pledge
import PledgeTestSupport
import Testing

@Suite("cancel")
struct CancelTests {
    private let source = Source(Int.self)

    @Test(
        "`cancel` rejects a pending promise for good, tells its resolver, and runs each hook once, even if it is set late"
    )
    func rejects() async {
        let late = Counter()
        #expect(!source.seal.isCancelled)
        source.promise.cancel()
        #expect(source.promise.isRejected && source.stopCount == 1 && source.seal.isCancelled)
        source.seal.onCancel { late.increment() }
        source.promise.cancel()
        source.seal.fulfill(1)
        #expect(late.value == 1 && source.stopCount == 1)
        await #expect(throws: PromiseError.cancelled) { try await source.promise.value }
    }

    @Test("A canceled `when` settles only after the cleanups of all its promises have ended")
    func allCleanups() async {
        let (sources, ended) = ((0..<2).map { _ in Source(Int.self) }, Counter())
        let cleanups = sources.map { _ in Guarantee<Void>.pending() }
        let inputs = zip(sources, cleanups).map { source, cleanup in
            source.promise.ensureThen(on: nil) { cleanup.guarantee }
        }
        let all = when(fulfilled: inputs).ensure(on: nil) { ended.increment() }
        all.cancel()
        for (index, cleanup) in cleanups.enumerated() {
            #expect(ended.value == 0, "\(index)")
            cleanup.resolve(())
            await DefaultExecutor.drain()
        }
        #expect(ended.value == 1)
    }

    @Test("`cancel` runs hooks in the order in which they were set, even 100,000 of them on a small stack")
    func manyHooks() async {
        await SmallStack.run {
            let order = Recorder<Int>()
            let (promise, seal) = Promise<Int>.pending()
            for number in 0..<100_000 {
                seal.onCancel { if number % 20_000 == 0 { order.append(number) } }
            }
            promise.cancel()
            #expect(order.all == [0, 20_000, 40_000, 60_000, 80_000])
        }
    }

    @Test("The closure of a canceled operator never runs on any queue, even if it was already due")
    func handlerNeverRuns() async {
        let gate = ExecutorGate()
        let marked = MarkedQueue()
        marked.queue.suspend()
        @Sendable func ran<T>(_ value: T) -> T {
            Issue.record("a handler ran although it was canceled")
            return value
        }
        let (value, failed) = (Promise.value(1), Promise<Void>(error: Fault.one))
        let promises = [
            value.map { _ = ran($0) }, value.map(on: marked.queue) { _ = ran($0) }, value.then { _ in ran(Promise()) },
            marked.queue.async(.promise) { () throws in _ = ran(1) }, value.done { _ = ran($0) },
            failed.catch { _ = ran($0) }, failed.recover { error in throw ran(error) },
        ]
        for promise in promises { promise.cancel() }
        gate.open()
        marked.queue.resume()
        await DefaultExecutor.drain()
        await marked.drain()
        for promise in promises { #expect(promise.error as? PromiseError == .cancelled) }
    }

    @Test("`cancel` does not recurse through nested promises that await one another")
    func asynchronous() async {
        let started = Counter()
        let depth = SmallStack.depth
        let end = await SmallStack.run { [source] in
            var end = source.promise
            for _ in 0..<depth {
                end = Promise { [end] in
                    started.increment()
                    return try await end.value
                }
            }
            return end
        }
        await Wait.until { started.value == depth }
        await SmallStack.run { end.cancel() }
        await Wait.until { source.stopCount == 1 }
        #expect(end.error as? PromiseError == .cancelled)
        #expect(source.stopCount == 1)
    }

    @Test("Releasing a long chain of cancel hooks, each of which holds the previous resolver, does not recurse")
    func heldResolvers() async {
        await SmallStack.run {
            var (_, last) = Promise<Int>.pending()
            for _ in 0..<SmallStack.depth {
                let (_, seal) = Promise<Int>.pending()
                seal.onCancel { [last] in withExtendedLifetime(last) {} }
                last = seal
            }
            last.fulfill(1)
        }
    }

    @Test(
        "Canceling a `when` cancels all its sources, even if a cancel hook of one source adds a dependent to another"
    )
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
