import Dispatch
import Foundation
import Pledge
import PledgeTestSupport
import Testing

/// Handlers are added by one thread while another settles the promise.
@Suite("While a promise settles on another thread,", .serialized)
struct OrderRaceTests {
    @Test("handlers run in the order in which they were added, on any queue", arguments: [true, false])
    func order(onDefaultExecutor: Bool) {
        let queue = onDefaultExecutor ? DispatchQueue.pledge : DispatchQueue(label: "order")
        let crew = ThreadCrew(count: 2)
        defer { crew.dismiss() }
        let handlers = 64
        var disorder = 0
        for round in 0..<Rounds.count(usual: 100, isSlow: false) {
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
            if order.all != Array(0..<handlers) { disorder += 1 }
        }
        #expect(disorder == 0)
    }

    @Test("its only handler runs before those that are added while it is sent", arguments: [true, false])
    func only(onDefaultExecutor: Bool) {
        let queue = onDefaultExecutor ? DispatchQueue.pledge : DispatchQueue(label: "only")
        let crew = ThreadCrew(count: 3)
        defer { crew.dismiss() }
        var disorder = 0
        for round in 0..<Rounds.count(usual: 800, isSlow: false) {
            let source = Source(Int.self)
            let order = Recorder<Int>()
            source.promise.done(on: queue) { _ in order.append(0) }.cauterize()
            let ready = Counter()
            let add: @Sendable () -> Void = {
                ready.increment()
                while ready.value < 3 { sched_yield() }
                source.promise.done(on: queue) { _ in order.append(1) }.cauterize()
            }
            let settle: @Sendable () -> Void = {
                ready.increment()
                while ready.value < 3 { sched_yield() }
                // At different moments of the other calls.
                for _ in 0..<round % 64 { ready.increment() }
                source.seal.fulfill(1)
            }
            crew.run([add, add, settle])
            DefaultExecutor.drainBlocking(hops: 2)
            queue.sync {}
            if order.all != [0, 1, 1] { disorder += 1 }
        }
        #expect(disorder == 0)
    }
}
