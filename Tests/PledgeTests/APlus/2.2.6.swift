import Dispatch
import Pledge
import PledgeTestSupport
import Testing

@Suite("A+ 2.2.6: several handlers of one promise")
struct APlus226 {
    private let events = Recorder<Int>()

    @Test("run in the order they were added when it is fulfilled")
    func fulfilled() async {
        let (promise, seal) = Promise<Int>.pending()
        for number in 0..<100 {
            promise.done { [events] _ in events.append(number) }.cauterize()
        }
        seal.fulfill(0)
        await DefaultExecutor.drain()
        #expect(events.all == Array(0..<100))
    }

    @Test("run in the order they were added when it is rejected")
    func rejected() async {
        let (promise, seal) = Promise<Int>.pending()
        for number in 0..<100 {
            promise.catch { [events] _ in events.append(number) }
        }
        seal.reject(Fault.one)
        await DefaultExecutor.drain()
        #expect(events.all == Array(0..<100))
    }

    @Test("run in the order they were added, whatever their kind")
    func mixedKinds() async {
        let (promise, seal) = Promise<Int>.pending()
        promise.map { [events] _ in events.append(1) }.cauterize()
        promise.ensure { [events] in events.append(2) }.cauterize()
        promise.tap { [events] _ in events.append(3) }.cauterize()
        promise.then { [events] _ -> Promise<Void> in
            events.append(4)
            return Promise()
        }.cauterize()
        promise.get { [events] _ in events.append(5) }.cauterize()
        promise.done { [events] _ in events.append(6) }.cauterize()
        seal.fulfill(0)
        await DefaultExecutor.drain()
        #expect(events.all == [1, 2, 3, 4, 5, 6])
    }

    @Test("run in the order they were added on a serial queue of their own")
    func ownQueue() async {
        let marked = MarkedQueue()
        let (promise, seal) = Promise<Int>.pending()
        for number in 0..<100 {
            promise.done(on: marked.queue) { [events] _ in events.append(number) }.cauterize()
        }
        seal.fulfill(0)
        await marked.drain()
        #expect(events.all == Array(0..<100))
    }

    @Test("are not disturbed by one that throws")
    func oneThrows() async {
        let (promise, seal) = Promise<Int>.pending()
        promise.done { [events] _ in events.append(1) }.cauterize()
        promise.done { [events] _ in
            events.append(2)
            throw Fault.one
        }.catch { _ in }
        promise.done { [events] _ in events.append(3) }.cauterize()
        seal.fulfill(0)
        await DefaultExecutor.drain()
        #expect(events.all == [1, 2, 3])
    }

    @Test("come before one that is added while they run")
    func addedMeanwhile() async {
        let (promise, seal) = Promise<Int>.pending()
        promise.done { [events] _ in
            events.append(1)
            promise.done { _ in events.append(3) }.cauterize()
        }.cauterize()
        promise.done { [events] _ in events.append(2) }.cauterize()
        seal.fulfill(0)
        await DefaultExecutor.drain()
        #expect(events.all == [1, 2, 3])
    }

    @Test("stay in order when some of those between them are cancelled")
    func someCancelled() async {
        let (promise, seal) = Promise<Int>.pending()
        let dependents = (0..<100).map { number in promise.map { [events] _ in events.append(number) } }
        for (number, dependent) in dependents.enumerated() where number % 3 != 0 {
            dependent.cancel()
        }
        seal.fulfill(0)
        await DefaultExecutor.drain()
        #expect(events.all == Array(stride(from: 0, to: 100, by: 3)))
    }
}
