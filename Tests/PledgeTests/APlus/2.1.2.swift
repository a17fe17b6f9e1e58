import Pledge
import PledgeTestSupport
import Testing

@Suite("A+ 2.1.2: a fulfilled promise")
struct APlus212 {
    @Test("does not become anything else, and keeps its value")
    func staysFulfilled() async throws {
        let (promise, seal) = Promise<Int>.pending()
        seal.fulfill(1)
        seal.fulfill(2)
        seal.reject(Fault.one)
        promise.cancel()
        #expect(promise.isFulfilled)
        #expect(try await promise.value == 1)
    }

    @Test("calls no error handler, whatever is tried on it later")
    func neverCallsBoth() async {
        let (promise, seal) = Promise<Int>.pending()
        let values = Recorder<Int>()
        promise.done { values.append($0) }.catch(policy: .allErrors) { Issue.record($0) }
        seal.fulfill(1)
        seal.reject(Fault.one)
        promise.cancel()
        await DefaultExecutor.drain()
        #expect(values.all == [1])
    }

    @Test("that was made fulfilled stays so")
    func madeFulfilled() async throws {
        let promise = Promise.value(1)
        promise.cancel()
        #expect(try await promise.value == 1)
    }
}
