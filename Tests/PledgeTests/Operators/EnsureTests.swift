import Pledge
import PledgeTestSupport
import Testing

@Suite("ensure, ensureThen, and finally")
struct EnsureTests {
    private let calls = Counter()

    @Test("ensure runs after a value and passes it on")
    func ensureValue() async throws {
        let promise = Promise.value(1).ensure { [calls] in calls.increment() }
        #expect(try await promise.value == 1)
        #expect(calls.value == 1)
    }

    @Test("ensure runs after an error and passes it on")
    func ensureError() async {
        let promise = Promise<Int>(error: Fault.one).ensure { [calls] in calls.increment() }
        await #expect(throws: Fault.one) { try await promise.value }
        #expect(calls.value == 1)
    }

    @Test("ensure runs after cancellation and passes it on")
    func ensureCancellation() async {
        let source = Source(Int.self)
        let promise = source.promise.ensure { [calls] in calls.increment() }
        source.promise.cancel()
        await #expect(throws: PromiseError.cancelled) { try await promise.value }
        #expect(calls.value == 1)
    }

    @Test("ensureThen passes the value on when its work is done")
    func ensureThenValue() async throws {
        let (work, finish) = Guarantee<Void>.pending()
        let promise = Promise.value(1).ensureThen { work }
        await DefaultExecutor.drain()
        #expect(promise.isPending)
        finish(())
        #expect(try await promise.value == 1)
    }

    @Test("ensureThen passes the error on when its work is done")
    func ensureThenError() async {
        let (work, finish) = Guarantee<Void>.pending()
        let promise = Promise<Int>(error: Fault.one).ensureThen { work }
        await DefaultExecutor.drain()
        #expect(promise.isPending)
        finish(())
        await #expect(throws: Fault.one) { try await promise.value }
    }

    @Test("finally runs at the end of a chain, after success and failure", arguments: [true, false])
    func finally(goesWell: Bool) async {
        let events = Recorder<String>()
        let promise = goesWell ? Promise.value(1) : Promise(error: Fault.one)
        promise.done { _ in events.append("done") }
            .catch { _ in events.append("catch") }
            .finally { events.append("finally") }
        await DefaultExecutor.drain()
        #expect(events.all == [goesWell ? "done" : "catch", "finally"])
    }

    @Test("finally runs after cancellation, which catch does not receive")
    func finallyCancellation() async {
        let events = Recorder<String>()
        Promise<Int>(error: PromiseError.cancelled)
            .catch { _ in events.append("catch") }
            .finally { events.append("finally") }
        await DefaultExecutor.drain()
        #expect(events.all == ["finally"])
    }

    @Test("All three run on the default executor or on the given queue")
    func queues() async throws {
        let marked = MarkedQueue()
        let places = Recorder<Bool>()
        try await Promise().ensure { places.append(DefaultExecutor.isCurrent) }.value
        try await Promise().ensure(on: marked.queue) { places.append(marked.isCurrent) }.value
        try await Promise().ensureThen {
            places.append(DefaultExecutor.isCurrent)
            return Guarantee()
        }.value
        try await Promise().ensureThen(on: marked.queue) {
            places.append(marked.isCurrent)
            return Guarantee()
        }.value
        Promise().finally { places.append(DefaultExecutor.isCurrent) }
        await DefaultExecutor.drain()
        Promise().finally(on: marked.queue) { places.append(marked.isCurrent) }
        await marked.drain()
        #expect(places.all == [true, true, true, true, true, true])
    }
}
