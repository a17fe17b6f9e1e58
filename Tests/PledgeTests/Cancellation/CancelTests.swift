import Pledge
import PledgeTestSupport
import Testing

@Suite("cancel")
struct CancelTests {
    private let source = Source(Int.self)

    @Test("rejects a pending promise at once and for good, and runs each hook once, even one that is set later")
    func rejects() async {
        let late = Counter()
        source.promise.cancel()
        #expect(source.promise.isRejected && source.stopCount == 1)
        source.seal.onCancel { late.increment() }
        source.promise.cancel()
        source.seal.fulfill(1)
        #expect(late.value == 1 && source.stopCount == 1)
        await #expect(throws: PromiseError.cancelled) { try await source.promise.value }
    }

    @Test("runs any number of hooks in the order in which they were set")
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

    @Test("keeps a promise's handler from running, even if it is already due, on any queue")
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
            value.done { _ = ran($0) }, failed.catch { _ = ran($0) }, failed.recover { error in throw ran(error) },
        ]
        for promise in promises { promise.cancel() }
        gate.open()
        marked.queue.resume()
        await DefaultExecutor.drain()
        await marked.drain()
        for promise in promises { #expect(promise.error as? PromiseError == .cancelled) }
    }

    @Test("goes down the chain past catch, and is received by ensure, tap, finally, and catch(policy: .allErrors)")
    func whoSees() async {
        let events = Recorder<String>()
        source.promise
            .ensure { events.append("ensure") }
            .tap { _ in events.append("tap") }
            .get { _ in events.append("get") }
            .catch { _ in events.append("catch") }
            .finally { events.append("finally") }
        source.promise.catch(policy: .allErrors) { _ in events.append("catch all") }
        source.promise.cancel()
        await DefaultExecutor.drain()
        #expect(events.all.sorted() == ["catch all", "ensure", "finally", "tap"])
    }
}
