import Pledge
import PledgeTestSupport
import Testing

@Suite("firstly")
struct FirstlyTests {
    @Test("begins a chain with the promise of its closure, which it runs immediately on the calling thread")
    func atOnce() async throws {
        var hasRun = false
        let promise = firstly {
            hasRun = true
            return Promise.value(1)
        }
        #expect(hasRun)
        #expect(promise.isFulfilled)
        #expect(try await promise.map { $0 + 1 }.value == 2)
    }

    @Test("rejects with the error that its closure throws")
    func throwing() async {
        let promise = firstly { () -> Promise<Int> in throw Fault.one }
        await #expect(throws: Fault.one) { try await promise.value }
    }

    @Test("of a guarantee is a guarantee")
    func guarantee() async {
        let guarantee: Guarantee<Int> = firstly { Guarantee.value(1) }
        #expect(await guarantee.value == 1)
    }
}
