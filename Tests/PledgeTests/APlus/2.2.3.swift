import Pledge
import PledgeTestSupport
import Testing

@Suite("A+ 2.2.3: an error handler")
struct APlus223 {
    @Test("is called with the promise's error")
    func getsTheError() async {
        let errors = Recorder<Fault?>()
        Promise<Int>(error: Fault.one).catch { errors.append($0 as? Fault) }
        await DefaultExecutor.drain()
        #expect(errors.all == [.one])
    }

    @Test("is not called before the promise is rejected")
    func notBefore() async {
        let (promise, seal) = Promise<Int>.pending()
        let calls = Counter()
        promise.catch { _ in calls.increment() }
        await DefaultExecutor.drain()
        #expect(calls.value == 0)
        seal.reject(Fault.one)
        await DefaultExecutor.drain()
        #expect(calls.value == 1)
    }

    @Test("is called only once, even if the promise is rejected twice")
    func onlyOnce() async {
        let (promise, seal) = Promise<Int>.pending()
        let errors = Recorder<Fault?>()
        promise.catch { errors.append($0 as? Fault) }
        seal.reject(Fault.one)
        seal.reject(Fault.two)
        await DefaultExecutor.drain()
        seal.reject(Fault.two)
        await DefaultExecutor.drain()
        #expect(errors.all == [.one])
    }

    @Test("is called once each, for handlers added before and after")
    func severalTimesOfAdding() async {
        let (promise, seal) = Promise<Int>.pending()
        let names = Recorder<String>()
        promise.catch { _ in names.append("before") }
        seal.reject(Fault.one)
        promise.catch { _ in names.append("after") }
        await DefaultExecutor.drain()
        promise.catch { _ in names.append("later") }
        await DefaultExecutor.drain()
        #expect(names.all == ["before", "after", "later"])
    }
}
