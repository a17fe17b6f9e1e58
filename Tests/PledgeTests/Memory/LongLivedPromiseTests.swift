import Pledge
import PledgeTestSupport
import Testing

@Suite("A promise that stays pending for a long time")
struct LongLivedPromiseTests {
    private let source = Source(Int.self)
    private let cage = Cage()

    /// Keeps the source from being canceled with its last other dependent.
    init() {
        source.promise.pipe { _ in }
    }

    @Test("does not accumulate canceled dependents, alone or among many that stay", arguments: [0, 50])
    func doesNotPileUp(living count: Int) async throws {
        let living = (0..<count).map { number in source.promise.map { $0 + number } }
        for _ in 0..<Rounds.count(usual: 10_000) { source.promise.map { $0 }.cancel() }
        for number in 0..<1_000 { cage.watch(source.promise.map { $0 }, "\(number)").cancel() }
        await DefaultExecutor.drain()
        #expect(cage.survivors.count < max(32, 2 * count))
        #expect(source.promise.isPending)
        source.seal.fulfill(1)
        #expect(try await when(fulfilled: living).value == Array(1..<1 + count))
    }

    @Test("does not accumulate the handlers of races and timeouts that are over")
    func racesAndTimeouts() async {
        let time = ManualTimekeeper()
        for _ in 0..<200 {
            cage.watch(race(source.promise, Promise.value(1)), "race").cauterize()
            cage.watch(source.promise.timeout(seconds: 1, timekeeper: time.timekeeper), "timeout").catch { _ in }
            time.advance(by: 2)
            await DefaultExecutor.drain(hops: 3)
        }
        await DefaultExecutor.drain()
        #expect(cage.survivors.isEmpty)
    }

    @Test("is kept alive by its source, and so are its dependents")
    func keptAlive() async {
        let values = Recorder<Int>()
        let seal: Resolver<Int>
        do {
            let made = Promise<Int>.pending()
            made.promise.map { $0 + 1 }.done { values.append($0) }.cauterize()
            seal = made.resolver
        }
        await DefaultExecutor.drain()
        seal.fulfill(1)
        await DefaultExecutor.drain()
        #expect(values.all == [2])
    }

    @Test("retains only its value once it has settled")
    func settled() async {
        let promise = settle()
        await DefaultExecutor.drain()
        #expect(cage.survivors == ["value"])
        withExtendedLifetime(promise) {}
    }

    private func settle() -> Promise<Canary> {
        let canary = cage.canary("captured")
        let (start, seal) = Promise<Int>.pending()
        cage.watch(start, "start")
        let cage = cage
        seal.onCancel { canary.sing() }
        let promise = start.map { _ in
            canary.sing()
            return cage.canary("value")
        }
        seal.fulfill(1)
        return promise
    }
}
