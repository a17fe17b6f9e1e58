import Dispatch
import Pledge
import PledgeTestSupport
import Testing

@Suite("queue.async(.promise)")
struct DispatchQueueTests {
    @Test("runs its closure on the queue and in a group, with a quality of service and flags, and promises the result")
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
