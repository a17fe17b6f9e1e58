import Dispatch
import Pledge
import PledgeTestSupport
import Testing

@Suite("queue.async(.promise)")
struct DispatchQueueTests {
    @Test(
        "queue.async(.promise) accepts a group, a QoS, and flags; its closure runs on the queue and settles the promise"
    )
    func options() async throws {
        let (marked, group) = (MarkedQueue(), DispatchGroup())
        let promise = marked.queue.async(.promise, group: group, qos: .utility, flags: .barrier) { () throws in
            marked.isCurrent
        }
        await withCheckedContinuation { continuation in group.notify(queue: .global()) { continuation.resume() } }
        #expect(promise.isFulfilled)
        #expect(try await promise.value)
    }
}
