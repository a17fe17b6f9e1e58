import Dispatch
import Pledge
import PledgeTestSupport
import Testing

// Seen from another thread, "later" and "at the same time" look alike. So these tests act inside a handler: the
// executor is serial, and whatever runs before that handler has returned ran inside it.
@Suite("A+ 2.2.4: handlers never run inside")
struct APlus224 {
    private let events = Recorder<String>()

    private func insideAHandler(_ body: @escaping @Sendable () -> Void) async {
        Promise().done { body() }.cauterize()
        await DefaultExecutor.drain()
    }

    @Test("the call that adds them, to a fulfilled promise")
    func addingToFulfilled() async {
        await insideAHandler { [events] in
            Promise.value(1).done { _ in events.append("handler") }.cauterize()
            events.append("added")
        }
        #expect(events.all == ["added", "handler"])
    }

    @Test("the call that adds them, to a rejected promise")
    func addingToRejected() async {
        await insideAHandler { [events] in
            Promise<Int>(error: Fault.one).catch { _ in events.append("handler") }
            events.append("added")
        }
        #expect(events.all == ["added", "handler"])
    }

    @Test("fulfill")
    func fulfilling() async {
        await insideAHandler { [events] in
            let (promise, seal) = Promise<Int>.pending()
            promise.done { _ in events.append("handler") }.cauterize()
            seal.fulfill(1)
            events.append("fulfilled")
        }
        #expect(events.all == ["fulfilled", "handler"])
    }

    @Test("reject")
    func rejecting() async {
        await insideAHandler { [events] in
            let (promise, seal) = Promise<Int>.pending()
            promise.catch { _ in events.append("handler") }
            seal.reject(Fault.one)
            events.append("rejected")
        }
        #expect(events.all == ["rejected", "handler"])
    }

    @Test("cancel")
    func cancelling() async {
        await insideAHandler { [events] in
            let (promise, seal) = Promise<Int>.pending()
            promise.catch(policy: .allErrors) { _ in events.append("handler") }
            promise.cancel()
            events.append("cancelled")
            seal.fulfill(1)
        }
        #expect(events.all == ["cancelled", "handler"])
    }

    @Test("a fulfill on the very queue they were given")
    func fulfillingOnTheirQueue() async {
        let marked = MarkedQueue()
        let (promise, seal) = Promise<Int>.pending()
        promise.done(on: marked.queue) { [events] _ in events.append("handler") }.cauterize()
        marked.queue.async { [events] in
            seal.fulfill(1)
            events.append("fulfilled")
        }
        await marked.drain()
        await marked.drain()
        #expect(events.all == ["fulfilled", "handler"])
    }

    @Test("the thread that fulfils, when that is not the executor's")
    func otherThread() async throws {
        let (promise, seal) = Promise<Int>.pending()
        let ranOnExecutor = promise.map { _ in DefaultExecutor.isCurrent }
        MarkedQueue().queue.sync { seal.fulfill(1) }
        #expect(try await ranOnExecutor.value)
    }
}
