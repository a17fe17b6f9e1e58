import Pledge
import PledgeTestSupport
import Testing

@Suite("when(fulfilled:concurrently:)")
struct WhenConcurrentlyTests {
    private let sources = (0..<10).map { _ in Source(Int.self) }

    @Test(
        "`when` with a limit keeps as many promises pending as the limit, and calls its iterator on the default queue",
        arguments: [1, 2, 3, 7])
    func limit(count: Int) async throws {
        let places = Recorder<Bool>()
        let iterator = AnyIterator { [sources] () -> Promise<Int>? in
            places.append(DefaultExecutor.isCurrent)
            return places.count > sources.count ? nil : sources[places.count - 1].promise
        }
        let promise = when(fulfilled: iterator, concurrently: count)
        for (number, source) in sources.enumerated() {
            await DefaultExecutor.drain()
            #expect(places.count == min(number + count, 11))
            source.seal.fulfill(number)
        }
        await DefaultExecutor.drain()
        #expect(promise.isFulfilled)
        #expect(try await promise.value == Array(0..<10))
        #expect(places.all == Array(repeating: true, count: 11))
    }

    @Test("`when` with a concurrency limit handles many settled promises without growing the stack")
    func settled() async throws {
        let count = 20_000
        var numbers = (0..<count).makeIterator()
        let promise = when(fulfilled: AnyIterator { numbers.next().map { Promise.value($0) } }, concurrently: 1)
        #expect(try await promise.value == Array(0..<count))
    }

    @Test(
        "If a promise fails during a closure of `when`, no more promises are created, and later errors are handled"
    )
    func failed() async {
        let (fault, created, gate) = (Fault("unheeded-\(#line)"), Counter(), ExecutorGate())
        do {
            let sources = (0..<3).map { _ in Source(Int.self) }
            let promise = when(fulfilled: 0..<3, concurrently: 3) { number in
                created.increment()
                if number == 1 { sources[0].seal.reject(Fault.one) }
                return sources[number].promise
            }
            gate.open()
            await DefaultExecutor.drain()
            #expect(promise.error as? Fault == .one)
            #expect(sources[1].stopCount == 0 && created.value == 2)
            sources[1].seal.reject(fault)
        }
        #expect(LogCapture.shared.unhandled(fault).isEmpty)
    }

    @Test("`when` lets other handlers on the default queue run, even if its sequence of settled promises is endless")
    func endless() async {
        let promise = when(fulfilled: sequence(first: 0) { $0 + 1 }, concurrently: 2) { Promise.value($0) }
        // A handler cancels the promise, and not this test's task, because the task may have to wait behind those of other tests.
        Guarantee().done { promise.cancel() }
        #expect(await promise.failure() as? PromiseError == .cancelled)
    }

    @Test(
        "`when(fulfilled:)` with a concurrency limit below 1 rejects with an error that names the minimum",
        arguments: [0, -1])
    func badLimit(limit: Int) async throws {
        let asked = Counter()
        let some = AnyIterator { asked.next() > 1 ? nil : Promise.value(1) }
        let error = try #require(await when(fulfilled: some, concurrently: limit).failure())
        #expect("\(error)" == "when cannot run \(limit) promises at a time: the minimum is 1.")
        #expect(asked.value == 0)
    }
}

@Suite("when(resolved:concurrently:)")
struct WhenResolvedConcurrentlyTests {
    private let sources = (0..<4).map { _ in Source(Int.self) }
    private let begun = Counter()

    private func all(concurrently limit: Int) -> Guarantee<[Result<Int, any Error>]> {
        when(resolved: sources, concurrently: limit) { [begun] source in
            begun.increment()
            return source.promise
        }
    }

    @Test(
        "`when(resolved:)` begins with as many promises as its concurrency limit, or with one if the limit is below 1",
        arguments: [(3, 3), (1, 1), (0, 1), (-1, 1), (.min, 1)])
    func limit(limit: Int, count: Int) async {
        let guarantee = all(concurrently: limit)
        await DefaultExecutor.drain()
        #expect(begun.value == count)
        for source in sources { source.seal.fulfill(0) }
        #expect(await guarantee.value.count == 4)
    }

    @Test("A canceled `when(resolved:)` cancels its pending promises, starts no more, and returns the outcomes so far")
    func cancel() async {
        let guarantee = all(concurrently: 2)
        await DefaultExecutor.drain()
        sources[0].seal.fulfill(7)
        await DefaultExecutor.drain()
        guarantee.cancel()
        #expect(await guarantee.value.map { "\($0)" } == ["success(7)"])
        #expect(sources.map(\.stopCount) == [0, 1, 1, 0] && begun.value == 3)
    }

    @Test(
        "`when(resolved:)` returns all outcomes in order, and continues after an element for which its closure throws")
    func throwing() async {
        let outcomes = when(resolved: 0..<3, concurrently: 2) { number -> Promise<Int> in
            if number == 1 { throw Fault.one }
            return .value(number)
        }
        #expect(await outcomes.value.map { "\($0)" } == ["success(0)", "failure(one)", "success(2)"])
    }
}
