#if os(Linux)
    import Foundation
    import PledgeTestSupport
    import Testing

    @testable import PledgeHTTP

    @Suite("A bounded operation queue", .serialized)
    struct BoundedOperationQueueTests {
        private func add(_ count: Int, to queue: BoundedOperationQueue) -> (added: Locked<Int>, run: Locked<[Int]>) {
            let (added, run) = (Locked(0), Locked<[Int]>([]))
            Thread.detachNewThread {
                for number in 0..<count {
                    queue.addOperation { run.withLock { $0.append(number) } }
                    added.withLock { $0 += 1 }
                }
            }
            return (added, run)
        }

        @Test("blocks additions while it is full, and keeps the order of its operations")
        func bounded() async throws {
            let queue = BoundedOperationQueue(room: 3, patience: .never)
            queue.isSuspended = true
            let (added, run) = add(10, to: queue)
            await Wait.until { added.withLock { $0 } == 3 }
            #expect(queue.operationCount == 3)

            queue.isSuspended = false

            await Wait.until { run.withLock { $0.count } == 10 }
            #expect(run.withLock { $0 } == Array(0..<10))
        }

        @Test("blocks an addition no longer than its patience lasts")
        func impatient() async throws {
            let queue = BoundedOperationQueue(room: 3, patience: .milliseconds(1))
            queue.isSuspended = true
            let (added, run) = add(10, to: queue)
            await Wait.until { added.withLock { $0 } == 10 }

            queue.isSuspended = false

            await Wait.until { run.withLock { $0.count } == 10 }
        }
    }
#endif
