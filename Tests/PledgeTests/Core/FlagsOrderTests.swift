import Dispatch
import Pledge
import PledgeTestSupport
import Testing

@Suite("Handlers of one promise on one serial queue")
struct FlagsOrderTests {
    @Test("run in the order of registration, even if only some of them have flags", arguments: [true, false])
    func flags(onDefaultQueue: Bool) async {
        let marked = MarkedQueue()
        let queue = onDefaultQueue ? DispatchQueue.pledge : marked.queue
        let source = Source(Int.self)
        let order = Recorder<Int>()
        let handlers = (0..<8).map { number in
            source.promise.done(on: queue, flags: number.isMultiple(of: 3) ? [] : nil) { _ in order.append(number) }
        }
        source.seal.fulfill(1)
        _ = await when(resolved: handlers).value
        #expect(order.all == Array(0..<8))
    }
}
