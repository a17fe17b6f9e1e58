import Pledge
import PledgeTestSupport
import Testing

@Suite("when(fulfilled:concurrently:), while its closure creates a promise,")
struct WhenConcurrentlyStopTests {
    private let sources = (0..<3).map { _ in Source(Int.self) }

    /// Runs the given closure each time before it returns the next source's promise.
    private func begin(_ meanwhile: @escaping @Sendable (_ number: Int) -> Void) async -> Promise<[Int]> {
        let gate = ExecutorGate()
        let promise = when(fulfilled: 0..<3, concurrently: 3) { [sources] number in
            meanwhile(number)
            return sources[number].promise
        }
        gate.open()
        await DefaultExecutor.drain()
        return promise
    }

    @Test("if another fails, does not cancel that promise, ignores its error as that of others, and creates no more")
    func failed() async {
        let (fault, created) = (Fault("unheeded-\(#line)"), Counter())
        let promise = await begin { [sources] number in
            created.increment()
            if number == 1 { sources[0].seal.reject(Fault.one) }
        }
        #expect(promise.error as? Fault == .one)
        #expect(sources[1].stopCount == 0 && created.value == 2)
        reject(fault)
        #expect(LogCapture.shared.unhandled(fault).isEmpty)
    }

    private func reject(_ fault: Fault) {
        sources[1].seal.reject(fault)
    }

    @Test("lets other handlers on the default queue run, even if its sequence of settled promises is endless")
    func endless() async {
        let promise = when(fulfilled: sequence(first: 0) { $0 + 1 }, concurrently: 2) { Promise.value($0) }
        // By another handler itself: this test's task may have to wait for its turn behind others.
        Guarantee().done { promise.cancel() }
        #expect(await promise.failure() as? PromiseError == .cancelled)
    }
}
