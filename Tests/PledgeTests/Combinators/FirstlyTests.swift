import Pledge
import PledgeTestSupport
import Testing

@Suite("firstly")
struct FirstlyTests {
    @Test("begins a chain with what its closure returns or throws, which it runs immediately on the calling thread")
    func atOnce() async throws {
        var hasRun = false
        let promise = firstly {
            hasRun = true
            return Promise.value(1)
        }
        #expect(hasRun && promise.isFulfilled)
        #expect(try await promise.map { $0 + 1 }.value == 2)
        await #expect(throws: Fault.one) { try await firstly { () -> Promise<Int> in throw Fault.one }.value }
        let guarantee: Guarantee<Int> = firstly { Guarantee.value(1) }
        #expect(await guarantee.value == 1)
    }
}
