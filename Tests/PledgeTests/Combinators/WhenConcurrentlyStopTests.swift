import Pledge
import PledgeTestSupport
import Testing

@Suite("when(fulfilled:concurrently:), while it makes a promise")
struct WhenConcurrentlyStopTests {
    private let sources = [Source(Int.self), Source(Int.self)]
    private let itself = Locked<Promise<[Int]>?>(nil)

    /// Does something each time before it hands out the next of the sources.
    private func begin(_ meanwhile: @escaping @Sendable (_ number: Int) -> Void) async -> Promise<[Int]> {
        let gate = ExecutorGate()
        let promise = when(fulfilled: 0..<2, concurrently: 2) { [sources] number in
            meanwhile(number)
            return sources[number].promise
        }
        itself.withLock { $0 = promise }
        gate.open()
        await DefaultExecutor.drain()
        itself.withLock { $0 = nil }
        return promise
    }

    @Test("passes a cancel on to that one, too")
    func cancelled() async {
        let promise = await begin { [itself] number in
            if number == 1 { itself.withLock { $0 }?.cancel() }
        }
        #expect(promise.error as? PromiseError == .cancelled)
        #expect(sources.map(\.stopCount) == [1, 1])
    }

    @Test("spares that one if another fails, and heeds its error as little as that of the others")
    func failed() async {
        let fault = Fault("unheeded-\(#line)")
        let promise = await begin { [sources] number in
            if number == 1 { sources[0].seal.reject(Fault.one) }
        }
        #expect(promise.error as? Fault == .one)
        #expect(sources[1].stopCount == 0)
        reject(fault)
        #expect(LogCapture.shared.unhandled(fault).isEmpty)
    }

    private func reject(_ fault: Fault) {
        sources[1].seal.reject(fault)
    }

    @Test("however many are there at once, gives other handlers on the default queue their turn")
    func endless() async {
        let promise = when(fulfilled: sequence(first: 0) { $0 + 1 }, concurrently: 2) { Promise.value($0) }
        await DefaultExecutor.drain()
        promise.cancel()
        #expect(promise.error as? PromiseError == .cancelled)
    }
}
