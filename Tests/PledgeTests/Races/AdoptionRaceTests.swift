import Pledge
import PledgeTestSupport
import Testing

/// The outer promise adopts an inner one while the inner one settles and the outer one is canceled.
@Suite("While one promise adopts another,", .serialized)
struct AdoptionRaceTests {
    private static let rounds = Rounds.count(usual: 200, isSlow: false)

    @Test("settling and canceling coincide, and both promises settle")
    func promise() {
        let crew = ThreadCrew(count: 3)
        defer { crew.dismiss() }
        for round in 0..<Self.rounds {
            let (start, inner) = (Source(Void.self), Source(Int.self))
            let outer = start.promise.then { inner.promise }
            crew.run([
                { start.seal.fulfill() },
                { round.isMultiple(of: 2) ? inner.seal.fulfill(1) : inner.promise.cancel() },
                { outer.cancel() },
            ])
            DefaultExecutor.drainBlocking(hops: 4)
            #expect(outer.isResolved)
            #expect(inner.promise.isResolved)
            #expect(inner.stopCount <= 1)
        }
    }

    @Test("canceling reaches the inner promise in every case")
    func cancelReaches() {
        let crew = ThreadCrew(count: 2)
        defer { crew.dismiss() }
        for _ in 0..<Self.rounds {
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
        let crew = ThreadCrew(count: 2)
        defer { crew.dismiss() }
        let time = ManualTimekeeper()
        for _ in 0..<Self.rounds {
            let (start, resolve) = Guarantee<Void>.pending()
            let outer = start.then { after(seconds: 1, timekeeper: time.timekeeper) }
            crew.run([{ resolve(()) }, { outer.cancel() }])
            DefaultExecutor.drainBlocking(hops: 4)
            #expect(outer.isFulfilled)
            #expect(time.alarmCount == 0)
        }
    }
}
