import Pledge
import PledgeTestSupport
import Testing

/// The outer promise adopts an inner one while it is canceled.
@Suite("While one promise adopts another,", .serialized)
struct AdoptionRaceTests {
    private static let rounds = Rounds.count(usual: 200, isSlow: false)

    @Test("canceling reaches the inner promise in every case")
    func cancelReaches() {
        ThreadCrew.rounds(Self.rounds, threads: 2) { _, crew in
            let (start, inner) = (Source(Void.self), Source(Int.self))
            let ran = Counter()
            let outer = start.promise.then { () -> Promise<Int> in
                ran.increment()
                return inner.promise
            }
            crew.run([{ start.seal.fulfill() }, { outer.cancel() }])
            DefaultExecutor.drainBlocking(hops: 4)
            #expect(outer.error as? PromiseError == .cancelled)
            #expect(inner.stopCount == ran.value)
        }
    }

    @Test("a canceled guarantee still settles, and ends its pause")
    func guarantee() {
        let time = ManualTimekeeper()
        ThreadCrew.rounds(Self.rounds, threads: 2) { _, crew in
            let (start, resolve) = Guarantee<Void>.pending()
            let outer = start.then { after(seconds: 1, timekeeper: time.timekeeper) }
            crew.run([{ resolve(()) }, { outer.cancel() }])
            DefaultExecutor.drainBlocking(hops: 4)
            #expect(outer.isFulfilled)
            #expect(time.alarmCount == 0)
        }
    }
}
