import Pledge
import PledgeTestSupport
import Testing

@Suite("shared() gives each caller a promise of its own")
struct SharedTests {
    private let source = Source(Int.self)

    @Test("that settles in the same way")
    func outcome() async throws {
        let (one, other) = (source.promise.shared(), source.promise.shared())
        source.seal.fulfill(1)
        #expect(try await one.value == 1)
        #expect(try await other.value == 1)
        let failing = Source(Int.self)
        let calls = (0..<2).map { _ in failing.promise.shared() }
        failing.seal.reject(Fault.one)
        for call in calls { await #expect(throws: Fault.one) { try await call.value } }
    }

    @Test("whose cancel affects only that caller, even if all of them cancel")
    func callersCancel() async throws {
        let calls = (0..<3).map { _ in source.promise.shared().map { $0 + 1 } }
        for call in calls { call.cancel() }
        #expect(calls.allSatisfy { $0.error?.isCancelled == true })
        #expect(source.stopCount == 0 && source.promise.isPending)
        source.seal.fulfill(1)
        #expect(try await source.promise.shared().value == 1)
    }

    @Test("and is canceled with the promise itself")
    func cancel() {
        let call = source.promise.shared().map { $0 + 1 }
        source.promise.cancel()
        #expect(source.stopCount == 1)
        #expect(call.error?.isCancelled == true)
    }
}
