import Dispatch
import Pledge
import PledgeTestSupport
import Testing

/// Builds promises that wait for one another in a circle, and cancels them. ``ScheduleProgram`` tests two cancels that
/// happen at the same time.
@Suite("A circle of promises")
struct CircleTests {
    /// Makes the next promise of a circle from the promises so far. In the end, the first promise follows the last one.
    typealias Member = @Sendable ([Promise<Int>], Counter) -> Promise<Int>

    static let members: [Member] = [
        { all, _ in all[all.count - 1].map(on: nil) { $0 } },
        { all, cleanups in all[all.count - 1].ensure(on: nil) { cleanups.increment() } },
        { all, cleanups in all[all.count - 1].ensure { cleanups.increment() } },
        { all, cleanups in
            all[all.count - 1].ensureThen(on: nil) {
                cleanups.increment()
                return Guarantee().map {}
            }
        },
        { all, _ in Promise(all[all.count - 1].settled().map(on: nil) { _ in 1 }) },
        { all, _ in all[all.count - 1].shared() },
        { all, _ in Promise { $0.follow(all[all.count - 1]) } },
        { all, _ in race(all[0], all[all.count - 1]) },
        { all, _ in when(fulfilled: all).map(on: nil) { $0[0] } },
        { all, _ in Promise(when(resolved: all).map(on: nil) { $0.count }) },
        { all, _ in when(fulfilled: all, concurrently: 2) { $0 }.map(on: nil) { $0[0] } },
        { all, _ in Promise(when(resolved: all, concurrently: 2) { $0 }.map(on: nil) { $0.count }) },
        { all, _ in all[all.count / 2].timeout(seconds: 1, timekeeper: ManualTimekeeper().timekeeper) },
    ]

    @Test("Canceling a promise in a circle settles the whole circle, runs each cleanup once, and releases everything")
    func ends() {
        Fuzzing.run(cases: 400) { seed, random in
            let (objects, cleanups) = (LiveObjects(), Counter())
            var chosen: [Int] = []
            do {
                let (start, seal) = Promise<Int>.pending()
                var all = [start]
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    chosen.append(Int.random(in: Self.members.indices, using: &random))
                    all.append(Self.members[chosen[chosen.count - 1]](all, cleanups))
                }
                for (index, member) in all.enumerated() { objects.watch(member, "\(index)") }
                // Some combinators create their promises only on the default queue, so this line gives them time to do so.
                DefaultExecutor.drainBlocking(hops: 3)
                seal.follow(all[all.count - 1])
                // The first cancel sometimes doesn't reach the start, because another promise still waits for the start.
                all[Int.random(in: all.indices, using: &random)].cancel()
                start.cancel()
                for _ in 0..<40 where !all.allSatisfy(\.isResolved) { DefaultExecutor.drainBlocking(hops: 1) }
                let left = all.filter(\.isPending)
                #expect(left.isEmpty, "\(chosen) of \(seed): \(all)")
            }
            let wanted = chosen.filter { (1...3).contains($0) }.count
            #expect(cleanups.value == wanted, "\(chosen) of \(seed)")
            for _ in 0..<40 where !objects.survivors.isEmpty { DefaultExecutor.drainBlocking(hops: 1) }
            #expect(objects.survivors.isEmpty, "\(chosen) of \(seed)")
        }
    }

    @Test("Circles that meet in one promise all settle when that promise is canceled")
    func several() {
        let (start, seal) = Promise<Int>.pending()
        let cleanups = Counter()
        let settled = start.settled().map(on: nil) { _ in 1 }._promise
        let cleaned = settled.ensureThen(on: nil) {
            cleanups.increment()
            return Guarantee()
        }
        let throttled = when(fulfilled: [cleaned, settled], concurrently: 2) { $0 }
        DefaultExecutor.drainBlocking(hops: 3)
        seal.follow(when(fulfilled: throttled, cleaned).map(on: nil) { $0.1 })
        start.cancel()
        DefaultExecutor.drainBlocking(hops: 3)
        let isPending = [start.isPending, settled.isPending, cleaned.isPending, throttled.isPending]
        #expect(!isPending.contains(true), "\(isPending)")
        #expect(cleanups.value == 1)
    }
}
