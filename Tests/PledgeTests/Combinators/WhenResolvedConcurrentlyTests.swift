import Pledge
import PledgeTestSupport
import Testing

@Suite("when(resolved:concurrently:)")
struct WhenResolvedConcurrentlyTests {
    private let sources = (0..<4).map { _ in Source(Int.self) }
    private let pulled = Counter()

    private func iterator() -> AnyIterator<Promise<Int>> { oneByOne(sources, pulled) }

    @Test("has every outcome in order, and continues after an error")
    func goesOn() async {
        let guarantee = when(resolved: iterator(), concurrently: 2)
        sources[1].seal.reject(Fault.one)
        sources[3].seal.reject(Fault.two)
        sources[2].seal.fulfill(2)
        sources[0].seal.fulfill(0)
        let outcomes = await guarantee.value
        #expect(outcomes.map { try? $0.get() } == [0, nil, 2, nil])
        #expect(throws: Fault.two) { try outcomes[3].get() }
    }

    @Test(
        "begins with as many promises as its limit, and with one if that is below 1",
        arguments: [(3, 3), (1, 1), (0, 1), (-1, 1), (.min, 1)])
    func limit(limit: Int, begun: Int) async {
        let guarantee = when(resolved: iterator(), concurrently: limit)
        await DefaultExecutor.drain()
        #expect(pulled.value == begun)
        for source in sources { source.seal.fulfill(0) }
        #expect(await guarantee.value.count == 4)
    }

    @Test("that is canceled cancels the pending promises, requests no more, and has the outcomes so far")
    func cancel() async {
        let guarantee = when(resolved: iterator(), concurrently: 2)
        await DefaultExecutor.drain()
        sources[0].seal.fulfill(7)
        await DefaultExecutor.drain()
        guarantee.cancel()
        #expect(await guarantee.value.map { try? $0.get() } == [7])
        #expect(sources.map(\.stopCount) == [0, 1, 1, 0])
        #expect(pulled.value == 3)
    }

    @Test("treats an error that its closure for an element throws as an outcome")
    func throwing() async {
        let outcomes = await when(resolved: 0..<4, concurrently: 2) { number -> Promise<Int> in
            if number == 2 { throw Fault.one }
            return .value(number)
        }.value

        #expect(outcomes.map { try? $0.get() } == [0, 1, nil, 3])
    }
}
