import Dispatch
import Pledge
import PledgeTestSupport
import Testing

/// See also `ExplorerTests` and `EveryScheduleTests`.
@Suite("A cancel always ends,")
struct AlwaysEndsTests {
    private let mine = Source(Int.self)
    private let others = Source(Int.self)

    static let circles: [@Sendable (Promise<Int>) -> Promise<Int>] = [
        { $0.map { $0 + 1 } }, { when(fulfilled: [$0, .value(1)]).map { $0[0] } }, { $0.ensure {}.tap { _ in } },
        { race($0, $0).then { Promise.value($0) } },
    ]

    @Test("also in a circle of promises that wait for one another, which is released", arguments: circles)
    func circle(descend: @Sendable (Promise<Int>) -> Promise<Int>) async {
        let cage = Cage()
        await close(descend, cage)
        await DefaultExecutor.drain()
        #expect(cage.survivors.isEmpty)
    }

    private func close(_ descend: @Sendable (Promise<Int>) -> Promise<Int>, _ cage: Cage) async {
        let itself = Locked<Promise<Int>?>(nil)
        let start = cage.watch(mine.promise.then { _ in itself.withLock { $0.take() } ?? Promise.value(0) }, "start")
        let end = cage.watch(descend(start), "end")
        itself.withLock { $0 = end }
        mine.seal.fulfill(1)
        await DefaultExecutor.drain()
        end.cancel()
        await #expect(throws: PromiseError.cancelled) { try await start.value }
        await #expect(throws: PromiseError.cancelled) { try await end.value }
    }

    @Test("and the closure of a guarantee that is due runs, even if that is released before")
    func due() {
        let (queue, runs) = (DispatchQueue(label: "due"), Counter())
        let (source, resolve) = Guarantee<Int>.pending()
        let other = source.map(on: nil) { $0 }
        var guarantee: Guarantee<Void>? = source.map(on: queue) { _ in runs.increment() }
        guarantee?.cancel()
        queue.suspend()
        resolve(1)
        guarantee = nil
        queue.resume()
        queue.sync {}
        #expect(runs.value == 1 && other.isResolved)
    }

    @Test("and an ensure runs when a guarantee above it turns out to wait for somebody else's work")
    func late() async {
        let events = Recorder<String>()
        let other = others.promise.map { $0 }
        let work = others.promise.recover { _ in Guarantee.value(0) }
        let kept = work.map { $0 }
        let end = mine.promise.recover { _ in work }.map { $0 }.ensure(on: nil) { events.append("ensure") }
        let caught = end.catch(on: nil, policy: .allErrors) { _ in events.append("catch") }
        end.cancel()
        _ = await caught.outcome()
        #expect(events.all == ["ensure", "catch"])
        #expect(others.stopCount == 0 && other.isPending && kept.isPending)
    }

    @Test("but an ensure below a guarantee waits for its value if that is on its way")
    func value() async {
        let events = Recorder<Int>()
        let (guarantee, resolve) = Guarantee<Int>.pending()
        let end = guarantee.get(on: nil) { _ in }.map(on: nil) { events.append($0) }.ensure(on: nil) {
            events.append(2)
        }
        end.cancel()
        #expect(end.isPending && events.all.isEmpty)
        resolve(1)
        await #expect(throws: PromiseError.cancelled) { try await end.value }
        #expect(events.all == [1, 2])
    }

    @Test("and canceled guarantees do not pile up below one that has no value, or whose value others await")
    func noPile() {
        let cage = Cage()
        let (guarantee, resolve) = Guarantee<Int>.pending()
        guarantee.cancel()
        for number in 0..<100 { cage.watch(guarantee.map { $0 }.map { $0 }, "\(number)").cancel() }
        #expect(cage.survivors.isEmpty)
        resolve(1)
    }
}
