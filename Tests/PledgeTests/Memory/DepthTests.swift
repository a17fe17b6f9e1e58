import Dispatch
import Pledge
import PledgeTestSupport
import Testing

/// A million links, created, settled, canceled, and released on a thread with half a megabyte of stack: one frame per
/// link would be too much.
@Suite("A very long chain", .serialized)
struct DepthTests {
    private static let depth = SmallStack.depth

    private static func chain(
        from start: Promise<Int>, _ depth: Int = depth, _ link: (Promise<Int>) -> Promise<Int>
    ) -> Promise<Int> {
        var end = start
        for _ in 0..<depth { end = link(end) }
        return end
    }

    @Test("of map delivers its value")
    func map() {
        let result = Locked(0)
        SmallStack.run {
            let source = Source(Int.self)
            let end = Self.chain(from: source.promise) { $0.map { $0 + 1 } }
            source.seal.fulfill(0)
            let value = try? end.wait()
            result.withLock { $0 = value ?? -1 }
        }
        #expect(result.withLock { $0 } == Self.depth)
    }

    @Test("of then delivers its value")
    func then() {
        let result = Locked(0)
        SmallStack.run {
            let source = Source(Int.self)
            let end = Self.chain(from: source.promise) { $0.then { Promise.value($0 + 1) } }
            source.seal.fulfill(0)
            let value = try? end.wait()
            result.withLock { $0 = value ?? -1 }
        }
        #expect(result.withLock { $0 } == Self.depth)
    }

    @Test("of map delivers its error to the one catch at its end")
    func rejection() {
        let caught = Recorder<Fault?>()
        SmallStack.run {
            let source = Source(Int.self)
            let end = Self.chain(from: source.promise) { promise in
                promise.map { number in
                    Issue.record("a map ran")
                    return number
                }
            }
            let handled = end.catch { caught.append($0 as? Fault) }
            source.seal.reject(Fault.one)
            _ = try? handled.wait()
        }
        #expect(caught.all == [.one])
    }

    @Test("is deallocated if it is released before it settles")
    func dropped() async {
        _ = LogCapture.shared
        let cage = Cage()
        SmallStack.run {
            let isOver = DispatchSemaphore(value: 0)
            begin(cage, isOver)
            isOver.wait()
        }
        await DefaultExecutor.drain()
        #expect(cage.survivors.isEmpty)
    }

    /// Creates a chain and releases all of it, including its resolver.
    private func begin(_ cage: Cage, _ isOver: DispatchSemaphore) {
        let canary = cage.canary("captured at the end")
        Self.chain(from: Promise<Int>.pending().promise) { $0.map { $0 + 1 } }
            .done { _ in canary.sing() }
            .catch { _ in canary.sing() }
            .finally { isOver.signal() }
    }

    @Test("of promises that each return the next delivers its value")
    func thenLoop() {
        @Sendable func countdown(_ number: Int) -> Promise<Int> {
            number == 0 ? .value(7) : Promise.value(number - 1).then { countdown($0) }
        }
        let result = Locked(0)
        SmallStack.run {
            let value = try? countdown(Self.depth).wait()
            result.withLock { $0 = value ?? -1 }
        }
        #expect(result.withLock { $0 } == 7)
    }

    @Test("is canceled from its end to its source")
    func cancel() {
        let source = Source(Int.self)
        SmallStack.run {
            Self.chain(from: source.promise) { $0.map { $0 + 1 } }.cancel()
        }
        DefaultExecutor.drainBlocking()
        #expect(source.stopCount == 1)
        #expect(source.promise.error as? PromiseError == .cancelled)
    }

    @Test("is canceled from its source to its end")
    func cancelAtSource() {
        let result = Locked<(any Error)?>(nil)
        SmallStack.run {
            let source = Source(Int.self)
            let end = Self.chain(from: source.promise, Self.depth / 4) { $0.then { Promise.value($0) } }
            source.promise.cancel()
            do { _ = try end.wait() } catch { result.withLock { $0 = error } }
        }
        #expect(result.withLock { $0 } as? PromiseError == .cancelled)
    }

    @Test("of promises that adopt one another is canceled from its end to its source")
    func cancelAdopted() {
        let source = Source(Int.self)
        SmallStack.run {
            var end = source.promise
            for _ in 0..<Self.depth / 4 {
                let inner = end
                end = Promise(inner)
            }
            end.cancel()
        }
        DefaultExecutor.drainBlocking()
        #expect(source.stopCount == 1)
    }
}
