import Pledge
import PledgeTestSupport
import Testing

@Suite("A+ 2.3.1: a promise that is to wait for itself")
struct APlus231 {
    @Test("is rejected by then")
    func then() async {
        let (start, seal) = Promise<Void>.pending()
        let itself = Locked<Promise<Int>?>(nil)
        let promise = start.then { try #require(itself.withLock { $0 }) }
        itself.withLock { $0 = promise }
        seal.fulfill()
        await #expect(throws: PromiseError.returnedSelf) { try await promise.value }
        itself.withLock { $0 = nil }
    }

    @Test("is rejected by recover")
    func recover() async {
        let (start, seal) = Promise<Int>.pending()
        let itself = Locked<Promise<Int>?>(nil)
        let promise = start.recover { _ in try #require(itself.withLock { $0 }) }
        itself.withLock { $0 = promise }
        seal.reject(Fault.one)
        await #expect(throws: PromiseError.returnedSelf) { try await promise.value }
        itself.withLock { $0 = nil }
    }

    @Test("says in its error what to look for")
    func message() {
        #expect(
            "\(PromiseError.returnedSelf)"
                == "A promise cannot wait for itself: a then closure returned the promise that then made.")
    }
}
