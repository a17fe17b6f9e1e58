@testable import Pledge
import PledgeTestSupport
import Testing

@Suite("While several promises settle at once,", .serialized)
struct CombinatorRaceTests {
    private static let rounds = Rounds.count(usual: 50, isSlow: false)

    private func everyRound(_ body: (Int, ThreadCrew) -> Void) {
        let crew = ThreadCrew(count: 4)
        defer { crew.dismiss() }
        for round in 0..<Self.rounds { body(round, crew) }
    }

    @Test("when has all values or one error, and settles once", arguments: [true, false])
    func whenFulfilled(oneRejects: Bool) {
        everyRound { round, crew in
            let sources = (0..<3).map { _ in Source(Int.self) }
            let calls = Counter()
            let promise = when(fulfilled: sources.map(\.promise))
            promise.pipe { _ in calls.increment() }
            crew.run([
                { sources[0].seal.fulfill(0) },
                { sources[1].seal.fulfill(1) },
                { oneRejects ? sources[2].seal.reject(Fault.one) : sources[2].seal.fulfill(2) },
            ])
            DefaultExecutor.drainBlocking(hops: 4)
            #expect(calls.value == 1)
            #expect(oneRejects ? promise.error as? Fault == .one : (try? promise.result?.get()) == [0, 1, 2])
        }
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

    @Test("a race has one winner, and settles once")
    func racing() {
        everyRound { round, crew in
            let sources = (0..<3).map { _ in Source(Int.self) }
            let winners = Recorder<Int?>()
            let promise = race(sources.map(\.promise))
            promise.pipe { winners.append(try? $0.get()) }
            crew.run([
                { sources[0].seal.fulfill(0) }, { sources[1].seal.fulfill(1) }, { sources[2].seal.fulfill(2) },
                { promise.cancel() },
            ])
            DefaultExecutor.drainBlocking(hops: 4)
            #expect(winners.all == [try? promise.result?.get()])
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

    @Test("a timeout ends while its promise settles and while it is canceled, and settles once")
    func timeout() {
        everyRound { round, crew in
            let (source, time) = (Source(Int.self), ManualTimekeeper())
            let calls = Counter()
            let promise = source.promise.timeout(seconds: 1, timekeeper: time.timekeeper)
            promise.pipe { _ in calls.increment() }
            crew.run([
                { source.seal.fulfill(1) }, { time.advance(by: 1) },
                { if round.isMultiple(of: 2) { promise.cancel() } },
            ])
            DefaultExecutor.drainBlocking(hops: 4)
            #expect(calls.value == 1)
            #expect(source.promise.isResolved)
            #expect(source.stopCount <= 1)
            #expect(time.alarmCount == 0)
        }
    }

    @Test("a canceled when(guarantees:) still settles")
    func guarantees() {
        everyRound { round, crew in
            let time = ManualTimekeeper()
            let pauses = (1...3).map { after(seconds: Double($0), timekeeper: time.timekeeper) }
            let all: Guarantee<Void> = when(guarantees: pauses)
            crew.run([{ all.cancel() }, { time.advance(by: 2) }])
            DefaultExecutor.drainBlocking(hops: 4)
            #expect(all.isFulfilled)
            #expect(time.alarmCount == 0)
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

    @Test("all reject, race(fulfilled:) rejects, and when(resolved:) is fulfilled")
    func allReject() {
        everyRound { round, crew in
            let sources = (0..<3).map { _ in Source(Int.self) }
            let winner = race(fulfilled: sources.map(\.promise))
            let outcomes = when(resolved: sources.map(\.promise))
            crew.run(sources.map { source in { source.seal.reject(Fault.one) } })
            DefaultExecutor.drainBlocking(hops: 4)
            #expect(winner.error as? PromiseError == .noWinner)
            #expect(outcomes.isFulfilled)
        }
    }
}
