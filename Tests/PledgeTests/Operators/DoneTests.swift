import Pledge
import PledgeTestSupport
import Testing

@Suite("done, get, and tap")
struct DoneTests {
    @Test("done receives the value, and the next handler receives none")
    func done() async throws {
        let values = Recorder<Int>()
        let after: Promise<Void> = Promise.value(1).done { values.append($0) }
        try await after.value
        #expect(values.all == [1])
    }

    @Test("done passes an error on without calling its closure")
    func doneErrorPasses() async {
        let promise = Promise<Int>(error: Fault.one).done { Issue.record("got \($0)") }
        await #expect(throws: Fault.one) { try await promise.value }
    }

    @Test("done rejects with the error that its closure throws")
    func doneThrows() async {
        let promise = Promise.value(1).done { _ in throw Fault.one }
        await #expect(throws: Fault.one) { try await promise.value }
    }

    @Test("get receives the value and passes it on")
    func get() async throws {
        let values = Recorder<Int>()
        #expect(try await Promise.value(1).get { values.append($0) }.value == 1)
        #expect(values.all == [1])
    }

    @Test("get passes an error on without calling its closure, and rejects with the error that its closure throws")
    func getErrors() async {
        let passing = Promise<Int>(error: Fault.one).get { Issue.record("got \($0)") }
        await #expect(throws: Fault.one) { try await passing.value }
        let throwing = Promise.value(1).get { _ in throw Fault.two }
        await #expect(throws: Fault.two) { try await throwing.value }
    }

    @Test("tap receives the value and passes it on")
    func tapValue() async throws {
        let outcomes = Recorder<Result<Int, any Error>>()
        #expect(try await Promise.value(1).tap { outcomes.append($0) }.value == 1)
        #expect(try outcomes.all.map { try $0.get() } == [1])
    }

    @Test("tap receives the error and passes it on")
    func tapError() async {
        let outcomes = Recorder<Result<Int, any Error>>()
        let promise = Promise<Int>(error: Fault.one).tap { outcomes.append($0) }
        await #expect(throws: Fault.one) { try await promise.value }
        #expect(outcomes.count == 1)
        #expect(throws: Fault.one) { try outcomes.all.first?.get() }
    }

    @Test("tap receives cancellation")
    func tapCancellation() async {
        let source = Source(Int.self)
        let outcomes = Recorder<Result<Int, any Error>>()
        let promise = source.promise.tap { outcomes.append($0) }
        source.promise.cancel()
        await #expect(throws: PromiseError.cancelled) { try await promise.value }
        #expect(throws: PromiseError.cancelled) { try outcomes.all.first?.get() }
    }

    @Test("All three run on the default executor or on the given queue")
    func queues() async throws {
        let marked = MarkedQueue()
        let places = Recorder<Bool>()
        try await Promise().done { places.append(DefaultExecutor.isCurrent) }.value
        try await Promise().done(on: marked.queue) { places.append(marked.isCurrent) }.value
        try await Promise().get { places.append(DefaultExecutor.isCurrent) }.value
        try await Promise().get(on: marked.queue) { places.append(marked.isCurrent) }.value
        try await Promise().tap { _ in places.append(DefaultExecutor.isCurrent) }.value
        try await Promise().tap(on: marked.queue) { _ in places.append(marked.isCurrent) }.value
        #expect(places.all == [true, true, true, true, true, true])
    }
}
