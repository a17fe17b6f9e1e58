import Pledge
import PledgeTestSupport
import Testing

@Suite("when(fulfilled:concurrently:)")
struct WhenConcurrentlyTests {
    private let sources = (0..<10).map { _ in Source(Int.self) }
    private let pulled = Counter()

    private func iterator() -> AnyIterator<Promise<Int>> { oneByOne(sources, pulled) }

    @Test("keeps the order of the iterator, whatever the order of completion")
    func order() async throws {
        let promise = when(fulfilled: iterator(), concurrently: 10)
        for (number, source) in sources.enumerated().reversed() {
            source.seal.fulfill(number)
        }
        #expect(try await promise.value == Array(0..<10))
    }

    @Test("never has more promises pending than its limit", arguments: [1, 2, 3, 7])
    func limit(count: Int) async throws {
        let promise = when(fulfilled: iterator(), concurrently: count)
        for (number, source) in sources.enumerated() {
            await DefaultExecutor.drain()
            #expect(pulled.value == min(number + count, 10))
            source.seal.fulfill(number)
        }
        #expect(try await promise.value == Array(0..<10))
    }

    @Test("handles promises that have already settled without growing the stack")
    func settled() async throws {
        let count = 20_000
        var numbers = (0..<count).makeIterator()
        let promise = when(fulfilled: AnyIterator { numbers.next().map { Promise.value($0) } }, concurrently: 1)
        #expect(try await promise.value == Array(0..<count))
    }

    @Test("does not call the iterator again after its end")
    func end() async throws {
        let asked = Counter()
        let promise = when(
            fulfilled: AnyIterator { [sources] in asked.next() <= 3 ? sources[asked.value - 1].promise : nil },
            concurrently: 5)
        await DefaultExecutor.drain()
        for source in sources.prefix(3) {
            source.seal.fulfill(0)
            await DefaultExecutor.drain()
        }
        #expect(try await promise.value == [0, 0, 0])
        #expect(asked.value == 4)
    }

    @Test("calls the iterator on the default executor")
    func place() async throws {
        var isFirst = true
        let promise = when(
            fulfilled: AnyIterator { () -> Promise<Bool>? in
                defer { isFirst = false }
                return isFirst ? .value(DefaultExecutor.isCurrent) : nil
            }, concurrently: 1)
        #expect(try await promise.value == [true])
    }

    @Test("rejects immediately with the first error, and requests no more promises")
    func stopsAfterFailure() async {
        let promise = when(fulfilled: iterator(), concurrently: 3)
        await DefaultExecutor.drain()
        sources[1].seal.reject(Fault.one)
        await #expect(throws: Fault.one) { try await promise.value }
        sources[0].seal.fulfill(0)
        sources[2].seal.fulfill(2)
        await DefaultExecutor.drain()
        #expect(pulled.value == 3)
        #expect(sources.map(\.stopCount).allSatisfy { $0 == 0 })
    }

    @Test("passes cancellation on to the pending promises, and requests no more")
    func cancel() async {
        let promise = when(fulfilled: iterator(), concurrently: 2)
        await DefaultExecutor.drain()
        sources[0].seal.fulfill(0)
        await DefaultExecutor.drain()
        promise.cancel()
        await #expect(throws: PromiseError.cancelled) { try await promise.value }
        await DefaultExecutor.drain()
        #expect(pulled.value == 3)
        #expect(sources.map(\.stopCount) == [0, 1, 1, 0, 0, 0, 0, 0, 0, 0])
    }

    @Test("that is canceled before it begins requests no promise")
    func cancelAtOnce() async {
        let gate = ExecutorGate()
        let promise = when(fulfilled: iterator(), concurrently: 2)
        promise.cancel()
        gate.open()
        await #expect(throws: PromiseError.cancelled) { try await promise.value }
        await DefaultExecutor.drain()
        #expect(pulled.value == 0)
    }

    @Test("with a limit below 1 is rejected, and the error names the minimum", arguments: [0, -1])
    func badLimit(limit: Int) async throws {
        let error = try #require(await when(fulfilled: iterator(), concurrently: limit).failure())
        #expect("\(error)" == "when cannot run \(limit) promises at a time: the minimum is 1.")
        #expect(pulled.value == 0)
    }
}

/// Returns the promises of these sources, and counts them.
func oneByOne(_ sources: [Source<Int>], _ pulled: Counter) -> AnyIterator<Promise<Int>> {
    AnyIterator { pulled.value == sources.count ? nil : sources[pulled.next() - 1].promise }
}
