import Foundation
@testable import Pledge
import PledgeTestSupport
import Testing

/// One thread adds a handler while another settles the promise and so, perhaps, the one that is only being made.
@Suite("Adding a handler while a promise settles", .serialized)
struct RegistrationRaceTests {
    @Test("leaves a promise that holds nothing but its outcome")
    func holdsNothing() {
        let cage = Cage()
        let ends = Recorder<Promise<Int>>()
        ThreadCrew.rounds(Rounds.count(usual: 40, isSlow: false), threads: 2) { round, crew in
            settle(round, crew, cage, ends)
            // The crew retains its last jobs.
            crew.run([{}, {}])
        }
        DefaultExecutor.drainBlocking()
        #expect(cage.survivors.isEmpty)
        #expect(ends.all.allSatisfy { $0.isFulfilled })
    }

    private func settle(_ round: Int, _ crew: ThreadCrew, _ cage: Cage, _ ends: Recorder<Promise<Int>>) {
        let source = Source(Int.self)
        cage.watch(source.promise, "source \(round)")
        let isReady = Counter()
        crew.run([
            {
                isReady.increment()
                while isReady.value < 2 { sched_yield() }
                ends.append(source.promise.map(on: nil) { $0 })
            },
            {
                isReady.increment()
                while source.promise.handlerCount == 0 { sched_yield() }
                source.seal.fulfill(round)
            },
        ])
    }
}
