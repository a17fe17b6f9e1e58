import Dispatch
import Pledge
import PledgeTestSupport
import Testing

@Suite("queue.async(.promise)")
struct DispatchQueueTests {
    private let marked = MarkedQueue()

    @Test("runs its closure on the queue, and returns a promise for the result")
    func value() async throws {
        let promise: Promise<Bool> = marked.queue.async(.promise) { [marked] in marked.isCurrent }
        #expect(try await promise.value)
    }

    @Test("does not run its closure if it is canceled before")
    func cancelBefore() async {
        marked.queue.suspend()
        let promise = marked.queue.async(.promise) { () throws -> Void in Issue.record("ran although canceled") }
        promise.cancel()
        marked.queue.resume()
        await marked.drain()
        await #expect(throws: PromiseError.cancelled) { try await promise.value }
    }

    @Test("joins a group, and accepts a quality of service and flags")
    func options() async {
        let group = DispatchGroup()
        let promise = marked.queue.async(.promise, group: group, qos: .utility, flags: .barrier) { () throws in 1 }
        await withCheckedContinuation { continuation in
            group.notify(queue: .global()) { continuation.resume() }
        }
        #expect(promise.isFulfilled)
    }
}
