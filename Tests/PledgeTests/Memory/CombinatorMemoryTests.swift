import Pledge
import PledgeTestSupport
import Testing

@Suite("Released by a combinator:")
struct CombinatorMemoryTests {
    struct Combinator: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let make: @Sendable ([Promise<Int>], Timekeeper) -> any Thenable

        init(_ name: String, _ make: @escaping @Sendable ([Promise<Int>], Timekeeper) -> any Thenable) {
            testDescription = name
            self.make = make
        }
    }

    enum Ending: CaseIterable {
        case allFulfilled, oneRejected, allRejected, cancelledAbove, cancelledBelow, timeIsUp, dropped
    }

    static let combinators = [
        Combinator("when(fulfilled:) of a list") { promises, _ in when(fulfilled: promises) },
        Combinator("when(fulfilled:) of a tuple") { promises, _ in when(fulfilled: promises[0], promises[1].asVoid()) },
        Combinator("when(fulfilled:) without values") { promises, _ in when(fulfilled: promises.map { $0.asVoid() }) },
        Combinator("when(resolved:)") { promises, _ in when(resolved: promises) },
        Combinator("when(guarantees:)") { promises, _ in
            when(guarantees: promises.map { $0.recover { _ in Guarantee.value(0) } })
        },
        Combinator("when(fulfilled:concurrently:)") { promises, _ in
            when(fulfilled: promises.makeIterator(), concurrently: 2)
        },
        Combinator("when(resolved:concurrently:)") { promises, _ in
            when(resolved: promises.makeIterator(), concurrently: 2)
        },
        Combinator("race") { promises, _ in race(promises) },
        Combinator("race(fulfilled:)") { promises, _ in race(fulfilled: promises) },
        Combinator("timeout") { promises, time in promises[0].timeout(seconds: 5, timekeeper: time) },
        Combinator("retry") { promises, time in
            retry(attempts: 3, delay: .constant(seconds: 1), timekeeper: time) { promises[0] }
        },
        Combinator("after") { promises, time in
            promises[0].then { _ in after(seconds: 2, timekeeper: time) }
        },
        Combinator("firstly and a bridge") { promises, _ in Promise(firstly { promises[0] }) },
    ]

    @Test("everything it retained", arguments: combinators, Ending.allCases)
    func ending(combinator: Combinator, ending: Ending) async {
        let (cage, time) = (Cage(), ManualTimekeeper())
        await run(combinator, ending, cage, time)
        for _ in 0..<8 {
            await DefaultExecutor.drain()
            time.advance(by: 10)
        }
        #expect(cage.survivors.isEmpty)
        #expect(cage.count == 3)
        #expect(time.alarmCount == 0)
    }

    private func run(_ combinator: Combinator, _ ending: Ending, _ cage: Cage, _ time: ManualTimekeeper) async {
        let sources = [Source(Int.self), Source(Int.self)]
        for (number, source) in sources.enumerated() { cage.watch(source.promise, "source \(number)") }
        let made = combinator.make(sources.map(\.promise), time.timekeeper)
        cage.watch(made, "made")
        await DefaultExecutor.drain()
        switch ending {
        case .allFulfilled: for source in sources { source.seal.fulfill(1) }
        case .oneRejected: sources[0].seal.reject(Fault.one)
        case .allRejected: for source in sources { source.seal.reject(Fault.one) }
        case .cancelledAbove: for source in sources { source.promise.cancel() }
        case .cancelledBelow: made.cancel()
        case .timeIsUp: time.advance(by: 60)
        case .dropped: break
        }
    }

    @Test("the others' handlers, as soon as a when has rejected")
    func earlyRejection() async {
        let cage = Cage()
        let pending = Source(Int.self)
        rejectEarly(pending.promise, cage)
        await DefaultExecutor.drain()
        #expect(cage.survivors.isEmpty)
        #expect(pending.promise.isPending)
    }

    private func rejectEarly(_ pending: Promise<Int>, _ cage: Cage) {
        let canary = cage.canary("captured after when")
        let failed = Source(Int.self)
        let all = cage.watch(when(fulfilled: [pending, failed.promise]), "when")
        cage.watch(race(pending, failed.promise), "race").catch { _ in canary.sing() }
        all.catch { _ in canary.sing() }
        failed.seal.reject(Fault.one)
    }

    @Test("the iterator, as soon as it has ended or a promise was rejected", arguments: [true, false])
    func iterator(rejects: Bool) async {
        let cage = Cage()
        let sources = [Source(Int.self), Source(Int.self)]
        let promise = begin(sources, concurrently: rejects ? 1 : 3, cage)
        await DefaultExecutor.drain()
        if rejects { sources[0].seal.reject(Fault.one) }
        await DefaultExecutor.drain()
        #expect(cage.survivors.isEmpty)
        #expect(promise.isPending != rejects)
        promise.cauterize()
        withExtendedLifetime(sources) {}
    }

    private func begin(_ sources: [Source<Int>], concurrently limit: Int, _ cage: Cage) -> Promise<[Int]> {
        let canary = cage.canary("captured by the iterator")
        var promises = sources.map(\.promise).makeIterator()
        let source = AnyIterator { () -> Promise<Int>? in
            canary.sing()
            return promises.next()
        }
        return when(fulfilled: source, concurrently: limit)
    }
}
