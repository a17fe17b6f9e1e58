import Pledge
import PledgeTestSupport
import Testing

@Suite("Memory does not grow")
struct GrowthTests {
    private let source = Source(Int.self)
    private let objects = LiveObjects()

    @Test(
        "Memory does not grow with canceled dependents of a promise, whether or not other dependents stay",
        arguments: [0, 50])
    func dependents(living count: Int) async throws {
        // This handler keeps the source from being canceled when its last other dependent is canceled.
        source.promise.pipe { _ in }
        let living = (0..<count).map { number in source.promise.map { $0 + number } }
        for _ in 0..<Rounds.count(usual: 10_000) { source.promise.map { $0 }.cancel() }
        for number in 0..<1_000 { objects.watch(source.promise.map { $0 }, "\(number)").cancel() }
        await DefaultExecutor.drain()
        #expect(objects.survivors.count < max(32, 2 * count))
        #expect(source.promise.isPending)
        source.seal.fulfill(1)
        #expect(try await when(fulfilled: living).value == Array(1..<1 + count))
    }

    @Test("Memory does not grow with canceled calls of `when` and `race` for guarantees")
    func cancelledLists() throws {
        let (guarantee, resolve) = Guarantee<Int>.pending()
        let kept = guarantee.map { $0 }
        for _ in 0..<1_000 {
            when(guarantees: guarantee, Guarantee.value(1)).cancel()
            race(guarantee, Guarantee<Int>.pending().guarantee).cancel()
        }
        #expect(guarantee.handlerCount < 20)
        resolve(1)
        #expect(try kept.wait() == 1)
    }

    @Test("Memory does not grow with the attempts of a `retry`, and a `retry` without a delay sets no timer")
    func attempts() async {
        let (time, alive) = (ManualTimekeeper(), Recorder<Int>())
        let promise = retry(attempts: 500, timekeeper: time.timekeeper) { [objects] in
            alive.append(objects.survivors.count)
            return Promise<Int>(error: Fault.one).ensure { [captured = objects.captured("attempt")] in
                captured.capture()
            }
        }
        await #expect(throws: Fault.one) { try await promise.value }
        #expect(alive.count == 500)
        #expect(alive.all.allSatisfy { $0 < 10 })
        #expect(time.requested.isEmpty)
    }

    @Test(
        "`when` releases its iterator as soon as the iterator has ended or a promise was rejected",
        arguments: [true, false])
    func iterator(rejects: Bool) async {
        let sources = [source, Source(Int.self)]
        var promises = sources.map(\.promise).makeIterator()
        let promise = when(
            fulfilled: AnyIterator { [captured = objects.captured("iterator")] in captured.capture(promises.next()) },
            concurrently: rejects ? 1 : 3)
        await DefaultExecutor.drain()
        if rejects { sources[0].seal.reject(Fault.one) }
        await DefaultExecutor.drain()
        #expect(objects.survivors.isEmpty)
        #expect(promise.isPending != rejects)
        promise.cauterize()
        withExtendedLifetime(sources) {}
    }
}
