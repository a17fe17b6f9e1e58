import Dispatch
import Foundation
import Pledge
import PledgeTestSupport
import Testing

/// Handlers are added by one thread while another settles the promise.
@Suite("While a promise settles on another thread,", .serialized)
struct OrderRaceTests {
    @Test("handlers run in the order in which they were added", arguments: [.pledge, DispatchQueue(label: "order")])
    func order(queue: DispatchQueue) {
        let handlers = 64
        ThreadCrew.rounds(Rounds.count(usual: 100, isSlow: false), threads: 2) { round, crew in
            let source = Source(Int.self)
            let order = Recorder<Int>()
            let isUnderWay = Counter()
            crew.run([
                {
                    for number in 0..<handlers {
                        source.promise.done(on: queue) { _ in order.append(number) }.cauterize()
                        isUnderWay.increment()
                    }
                },
                {
                    while isUnderWay.value < round % handlers { sched_yield() }
                    source.seal.fulfill(1)
                },
            ])
            DefaultExecutor.drainBlocking(hops: 4)
            queue.sync {}
            #expect(order.all == Array(0..<handlers))
        }
    }

    @Test(
        "its only handler runs before those that are added while it is sent",
        arguments: [.pledge, DispatchQueue(label: "only")])
    func only(queue: DispatchQueue) {
        ThreadCrew.rounds(Rounds.count(usual: 800, isSlow: false), threads: 3) { round, crew in
            let source = Source(Int.self)
            let order = Recorder<Int>()
            source.promise.done(on: queue) { _ in order.append(0) }.cauterize()
            let ready = Counter()
            @Sendable func meet() {
                ready.increment()
                while ready.value < 3 { sched_yield() }
            }
            let add: @Sendable () -> Void = {
                meet()
                source.promise.done(on: queue) { _ in order.append(1) }.cauterize()
            }
            let settle: @Sendable () -> Void = {
                meet()
                // At different moments of the other calls.
                for _ in 0..<round % 64 { ready.increment() }
                source.seal.fulfill(1)
            }
            crew.run([add, add, settle])
            DefaultExecutor.drainBlocking(hops: 2)
            queue.sync {}
            #expect(order.all == [0, 1, 1])
        }
    }
}
