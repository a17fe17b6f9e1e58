@testable import Pledge
import PledgeTestSupport
import Testing

@Suite("While several promises settle at once,", .serialized)
struct CombinatorRaceTests {
    private func everyRound(_ body: (Int, ThreadCrew) -> Void) {
        ThreadCrew.rounds(Rounds.count(usual: 50, isSlow: false), threads: 4, body)
    }

    @Test("a when that begins with an error among pending promises releases them all")
    func beginsWithError() {
        everyRound { round, crew in
            let sources = (0..<12).map { _ in Source(Int.self) }
            let failed = Source(Int.self)
            let output = Locked<Promise<[Int]>?>(nil)
            crew.run([
                { failed.seal.reject(Fault.one) },
                {
                    let all = when(fulfilled: [failed.promise] + sources.map(\.promise))
                    output.withLock { $0 = all }
                },
            ])
            DefaultExecutor.drainBlocking(hops: 4)
            #expect(output.withLock { $0 }?.error as? Fault == .one)
            for source in sources {
                source.promise.map { $0 }.cancel()
                #expect(source.stopCount == 1)
            }
        }
    }

    @Test("a canceled combinator cancels its promises, and a rejected one does not", arguments: 0..<3)
    func cancelled(combinator: Int) {
        everyRound { round, crew in
            let sources = (0..<3).map { _ in Source(Int.self) }
            let promises = sources.map(\.promise)
            let promise: Promise<[Int]> =
                switch combinator {
                case 0: when(fulfilled: promises)
                case 1: when(fulfilled: promises.makeIterator(), concurrently: 3)
                default: race(promises.map { $0.map(on: nil) { [$0] } })
                }
            DefaultExecutor.drainBlocking(hops: 4)
            crew.run([{ sources[0].seal.reject(Fault.one) }, { promise.cancel() }])
            DefaultExecutor.drainBlocking(hops: 4)
            let isCancelled = promise.error as? PromiseError == .cancelled
            #expect(isCancelled || promise.error as? Fault == .one)
            #expect(sources.dropFirst().map(\.stopCount) == (isCancelled ? [1, 1] : [0, 0]))
        }
    }

    @Test("all dependents are canceled, and the source stops once")
    func lastDependents() {
        everyRound { round, crew in
            let source = Source(Int.self)
            let dependents = (0..<12).map { _ in source.promise.map { $0 } }
            crew.run(
                (0..<4).map { part in
                    { for dependent in dependents[part * 3..<part * 3 + 3] { dependent.cancel() } }
                })
            #expect(source.stopCount == 1)
            #expect(source.promise.error as? PromiseError == .cancelled)
        }
    }

    @Test("a race of guarantees releases those that stay pending")
    func guaranteeRace() {
        everyRound { round, crew in
            // So many that some are on their way while others are let go, and each just about to be swept.
            let long = (0..<12).map { _ in Guarantee<Int>.pending() }
            for (guarantee, _) in long {
                for _ in 0..<8 { guarantee.then { Promise.value($0) }.cancel() }
            }
            let (quick, settle) = Guarantee<Int>.pending()
            let winner = Guarantee(_unfailing: race([quick] + long.map(\.guarantee)))
            crew.run([{ settle(round) }, { winner.cancel() }])
            DefaultExecutor.drainBlocking(hops: 4)
            #expect(winner.isResolved)
            for (guarantee, resolve) in long {
                #expect(guarantee.handlerCount < 12)
                resolve(0)
            }
        }
    }
}
