import Pledge
import PledgeTestSupport
import Testing

@Suite("cancel")
struct CancelTests {
    private let source = Source(Int.self)

    @Test("rejects a pending promise immediately with the cancellation error")
    func rejects() async {
        source.promise.cancel()
        #expect(source.promise.isRejected)
        await #expect(throws: PromiseError.cancelled) { try await source.promise.value }
    }

    @Test("runs the source's hook exactly once")
    func hook() {
        source.promise.cancel()
        source.promise.cancel()
        #expect(source.stopCount == 1)
    }

    @Test("runs several hooks in the order in which they were set")
    func severalHooks() {
        let events = Recorder<Int>()
        let (promise, seal) = Promise<Int>.pending()
        for number in 1...3 { seal.onCancel { events.append(number) } }
        promise.cancel()
        #expect(events.all == [1, 2, 3])
    }

    @Test("runs a hook that is set after the cancellation immediately")
    func lateHook() {
        source.promise.cancel()
        let calls = Counter()
        source.seal.onCancel { calls.increment() }
        #expect(calls.value == 1)
    }

    @Test("does not affect a promise that has settled", arguments: [true, false])
    func settled(isFulfilled: Bool) {
        if isFulfilled { source.seal.fulfill(1) } else { source.seal.reject(Fault.one) }
        source.promise.cancel()
        source.seal.onCancel { Issue.record("a hook ran after the promise had settled") }
        source.promise.cancel()
        #expect(source.promise.isFulfilled == isFulfilled)
        #expect(source.stopCount == 0)
        #expect(isFulfilled || source.promise.error as? Fault == .one)
    }

    @Test("takes precedence over a later fulfill")
    func wins() {
        source.promise.cancel()
        source.seal.fulfill(1)
        #expect(source.promise.error as? PromiseError == .cancelled)
    }

    @Test("can be called in its own hook")
    func reentrant() {
        let (promise, seal) = Promise<Int>.pending()
        let calls = Counter()
        seal.onCancel {
            calls.increment()
            promise.cancel()
            seal.fulfill(1)
        }
        promise.cancel()
        #expect(calls.value == 1)
        #expect(promise.isRejected)
    }

    @Test("rejects the promises further down the chain")
    func travelsDown() async {
        let end = source.promise.map { $0 + 1 }.then { Promise.value($0) }.asVoid()
        source.promise.cancel()
        await #expect(throws: PromiseError.cancelled) { try await end.value }
    }

    @Test("keeps a promise's handler from running, even if it is already due")
    func handlerNeverRuns() async {
        let gate = ExecutorGate()
        let promises: [Promise<Void>] = [
            Promise.value(1).map { _ in Issue.record("map ran") },
            Promise.value(1).then { _ in
                Issue.record("then ran")
                return Promise()
            },
            Promise.value(1).done { _ in Issue.record("done ran") },
            Promise<Void>(error: Fault.one).catch { _ in Issue.record("catch ran") },
            Promise<Void>(error: Fault.one).recover { _ in Issue.record("recover ran") },
        ]
        for promise in promises { promise.cancel() }
        gate.open()
        await DefaultExecutor.drain()
        for promise in promises { #expect(promise.error as? PromiseError == .cancelled) }
    }

    @Test("keeps a handler that waits on its own queue from running")
    func handlerOnQueueNeverRuns() async {
        let marked = MarkedQueue()
        marked.queue.suspend()
        let promise = Promise.value(1).map(on: marked.queue) { _ in Issue.record("ran although canceled") }
        promise.cancel()
        marked.queue.resume()
        await marked.drain()
        #expect(promise.error as? PromiseError == .cancelled)
    }

    @Test("of a promise whose handler is running lets that finish, and ignores its value")
    func whileRunning() async {
        let itself = Locked<Promise<Int>?>(nil)
        let gate = ExecutorGate()
        let promise = Promise.value(1).map { number -> Int in
            itself.withLock { $0 }?.cancel()
            return number + 1
        }
        itself.withLock { $0 = promise }
        gate.open()
        await #expect(throws: PromiseError.cancelled) { try await promise.value }
        itself.withLock { $0 = nil }
    }

    @Test("is skipped by catch, and received by ensure, tap, finally, and catch(policy: .allErrors)")
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
        #expect(Set(events.all) == ["ensure", "tap", "finally", "catch all"])
        #expect(events.count == 4)
    }
}
