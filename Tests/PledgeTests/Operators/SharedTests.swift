import Pledge
import PledgeTestSupport
import Testing

@Suite("shared() gives each caller a promise of its own")
struct SharedTests {
    private let source = Source(Int.self)

    @Test("whose cancel affects only that caller, even if all of them cancel, and which is canceled with the promise")
    func cancel() async throws {
        let calls = (0..<3).map { _ in source.promise.shared().map { $0 + 1 } }
        for call in calls { call.cancel() }
        #expect(calls.allSatisfy { $0.error?.isCancelled == true })
        #expect(source.stopCount == 0 && source.promise.isPending)
        let late = source.promise.shared().map { $0 + 1 }
        source.promise.cancel()
        #expect(source.stopCount == 1 && late.error?.isCancelled == true)
    }
}
