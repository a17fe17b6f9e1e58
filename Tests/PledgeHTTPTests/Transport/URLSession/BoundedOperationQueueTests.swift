#if os(Linux)
    import Foundation
    import PledgeTestSupport
    import Testing

    @testable import PledgeHTTP

    @Suite("A bounded operation queue", .serialized)
    struct BoundedOperationQueueTests {
        @Test(
            "A full bounded queue blocks additions for at most its `patience`, and keeps their order",
            arguments: [3, 10])
        func bounded(added: Int) async throws {
            let queue = BoundedOperationQueue(room: 3, patience: added == 3 ? .never : .milliseconds(1))
            queue.isSuspended = true
            let (count, run) = (Counter(), Recorder<Int>())
            Thread.detachNewThread {
                for number in 0..<10 {
                    queue.addOperation { run.append(number) }
                    count.increment()
                }
            }
            await Wait.until { count.value == added }
            #expect(queue.operationCount == added)
            queue.isSuspended = false
            await Wait.until { run.count == 10 }
            #expect(run.all == Array(0..<10))
        }
    }
#endif
