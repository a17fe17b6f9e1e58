import Dispatch
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
        let (handlers, rounds) = (64, 400)
        var disorder = 0
        for round in 0..<rounds {
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
                    while isUnderWay.value < round % handlers {}
                    source.seal.fulfill(1)
                },
            ])
            DefaultExecutor.drainBlocking(hops: 4)
            queue.sync {}
            if order.all != Array(0..<handlers) { disorder += 1 }
        }
        #expect(disorder == 0)
    }
}
