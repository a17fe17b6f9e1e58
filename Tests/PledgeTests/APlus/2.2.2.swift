import Pledge
import PledgeTestSupport
import Testing

@Suite("A+ 2.2.2: a value handler")
struct APlus222 {
    @Test("is called with the promise's value")
    func getsTheValue() async {
        let values = Recorder<String>()
        Promise.value("x").done { values.append($0) }.cauterize()
        await DefaultExecutor.drain()
        #expect(values.all == ["x"])
    }

    @Test("is not called before the promise is fulfilled")
    func notBefore() async {
        let (promise, seal) = Promise<Int>.pending()
        let calls = Counter()
        promise.done { _ in calls.increment() }.cauterize()
        await DefaultExecutor.drain()
        #expect(calls.value == 0)
        seal.fulfill(1)
        await DefaultExecutor.drain()
        #expect(calls.value == 1)
    }

    @Test("is called only once, even if the promise is fulfilled twice")
    func onlyOnce() async {
        let (promise, seal) = Promise<Int>.pending()
        let values = Recorder<Int>()
        promise.done { values.append($0) }.cauterize()
        seal.fulfill(1)
        seal.fulfill(2)
        await DefaultExecutor.drain()
        seal.fulfill(3)
        await DefaultExecutor.drain()
        #expect(values.all == [1])
    }

    @Test("is called once each, for handlers added before and after")
    func severalTimesOfAdding() async {
        let (promise, seal) = Promise<Int>.pending()
        let names = Recorder<String>()
        promise.done { _ in names.append("before") }.cauterize()
        seal.fulfill(1)
        promise.done { _ in names.append("after") }.cauterize()
        await DefaultExecutor.drain()
        promise.done { _ in names.append("later") }.cauterize()
        await DefaultExecutor.drain()
        #expect(names.all == ["before", "after", "later"])
    }
}
