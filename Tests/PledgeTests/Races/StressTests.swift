import Pledge
import PledgeTestSupport
import Testing

/// Eight threads do anything to promises they share. In the end every promise has settled, and everyone who waited for
/// one was told exactly once.
@Suite("Stress", .serialized)
struct StressTests {
    private final class Pool: Sendable {
        let sources = Locked((0..<16).map { _ in Source(Int.self) })
        let retired = Recorder<Source<Int>>()
        let waiting = Counter()
        let told = Counter()

        func pick(_ generator: inout SeededGenerator) -> Source<Int> {
            let index = Int.random(in: 0..<16, using: &generator)
            return sources.withLock { $0[index] }
        }

        /// Puts a fresh promise in the place of an old one, which is settled in the end.
        func replace(_ generator: inout SeededGenerator) {
            let index = Int.random(in: 0..<16, using: &generator)
            let fresh = Source(Int.self)
            let old = sources.withLock { sources in
                defer { sources[index] = fresh }
                return sources[index]
            }
            retired.append(old)
        }

        func watch<T: Sendable>(_ promise: Promise<T>) {
            waiting.increment()
            let told = told
            promise.pipe { _ in told.increment() }
        }
    }

    @Test("With eight threads, every promise settles once and every handler is called", arguments: [1, 2, 3])
    func everything(seed: UInt64) {
        let pool = Pool()
        let crew = ThreadCrew(count: 8)
        defer { crew.dismiss() }
        crew.run(
            (0..<8).map { thread in
                {
                    var generator = SeededGenerator(seed: seed * 1_000 + UInt64(thread))
                    for _ in 0..<Rounds.count(usual: 250, isSlow: false) { step(pool, &generator) }
                }
            })
        for source in pool.retired.all + pool.sources.withLock({ $0 }) { source.seal.fulfill(0) }
        DefaultExecutor.drainBlocking(hops: 60)
        #expect(pool.told.value == pool.waiting.value)
        #expect((pool.retired.all + pool.sources.withLock { $0 }).allSatisfy { $0.stopCount <= 1 })
    }

    private func step(_ pool: Pool, _ generator: inout SeededGenerator) {
        let (one, two) = (pool.pick(&generator), pool.pick(&generator))
        switch Int.random(in: 0..<12, using: &generator) {
        case 0: one.seal.fulfill(1)
        case 1: one.seal.reject(Fault.one)
        case 2: one.promise.cancel()
        case 3: pool.replace(&generator)
        case 4: pool.watch(one.promise.map { $0 + 1 })
        case 5: pool.watch(one.promise.then { _ in two.promise })
        case 6: pool.watch(one.promise.recover { _ in two.promise })
        case 7: pool.watch(when(fulfilled: one.promise, two.promise))
        case 8: pool.watch(race(one.promise, two.promise))
        case 9: pool.watch(when(resolved: one.promise, two.promise)._promise)
        case 10:
            let dependent = one.promise.map { $0 }.then { _ in two.promise }
            pool.watch(dependent)
            dependent.cancel()
        default:
            let dependents = (0..<12).map { _ in one.promise.map { $0 } }
            for dependent in dependents { dependent.cancel() }
        }
    }
}
