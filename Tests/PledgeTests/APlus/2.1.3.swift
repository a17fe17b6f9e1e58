import Pledge
import PledgeTestSupport
import Testing

@Suite("A+ 2.1.3: a rejected promise")
struct APlus213 {
    @Test("does not become anything else, and keeps its error")
    func staysRejected() async {
        let (promise, seal) = Promise<Int>.pending()
        seal.reject(Fault.one)
        seal.reject(Fault.two)
        seal.fulfill(1)
        promise.cancel()
        #expect(promise.isRejected)
        await #expect(throws: Fault.one) { try await promise.value }
    }

    @Test("calls no value handler, whatever is tried on it later")
    func neverCallsBoth() async {
        let (promise, seal) = Promise<Int>.pending()
        let errors = Recorder<Fault?>()
        promise.done { Issue.record("got \($0)") }.catch { errors.append($0 as? Fault) }
        seal.reject(Fault.one)
        seal.fulfill(1)
        seal.reject(Fault.two)
        await DefaultExecutor.drain()
        #expect(errors.all == [.one])
    }

    @Test("that was made rejected stays so")
    func madeRejected() async {
        let promise = Promise<Int>(error: Fault.one)
        promise.cancel()
        await #expect(throws: Fault.one) { try await promise.value }
    }
}
