import Pledge
import PledgeTestSupport
import Testing

@Suite("then")
struct ThenTests {
    @Test("continues with the promise or the guarantee that its closure, or a function, returns")
    func continues() async throws {
        #expect(try await Promise.value(2).then { Promise.value("\($0)") }.value == "2")
        #expect(try await Promise.value(1).then { Guarantee.value($0 + 1) }.value == 2)
        #expect(try await Promise.value(2).then(Promise.value).value == 2)
        #expect(try await when(fulfilled: [1, 2].map(Promise.value)).value == [1, 2])
    }

    @Test("passes an error on without calling its closure, and rejects with what that throws")
    func errors() async {
        let failed = Promise<Int>(error: Fault.one).then { number -> Promise<Int> in
            Issue.record("got \(number)")
            return .value(number)
        }
        await #expect(throws: Fault.one) { try await failed.value }
        let throwing = Promise.value(1).then { _ -> Promise<Int> in throw Fault.two }
        await #expect(throws: Fault.two) { try await throwing.value }
    }

    @Test("adopts the inner promise without using its closure's queue again")
    func adoptionIgnoresQueue() async throws {
        let marked = MarkedQueue()
        let (inner, seal) = Promise<Int>.pending()
        let outer = Promise().then(on: marked.queue) { inner }
        await DefaultExecutor.drain()
        await marked.drain()
        marked.queue.suspend()
        seal.fulfill(3)
        #expect(try await outer.value == 3)
        marked.queue.resume()
    }
}
