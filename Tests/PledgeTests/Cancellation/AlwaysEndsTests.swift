import Pledge
import PledgeTestSupport
import Testing

/// See also `ExplorerTests` and `EveryScheduleTests`.
@Suite("A cancel always ends,")
struct AlwaysEndsTests {
    private let mine = Source(Int.self)

    static let circles: [@Sendable (Promise<Int>) -> Promise<Int>] = [
        { $0.map { $0 + 1 } }, { when(fulfilled: [$0, .value(1)]).map { $0[0] } }, { $0.ensure {}.tap { _ in } },
        { race($0, $0).then { Promise.value($0) } },
    ]

    @Test("also in a circle of promises that wait for one another, which is released", arguments: circles)
    func circle(descend: @Sendable (Promise<Int>) -> Promise<Int>) async {
        let cage = Cage()
        do {
            let itself = Locked<Promise<Int>?>(nil)
            let start = cage.watch(mine.promise.then { _ in itself.withLock { $0.take() } ?? .value(0) }, "start")
            let end = cage.watch(descend(start), "end")
            itself.withLock { $0 = end }
            mine.seal.fulfill(1)
            await DefaultExecutor.drain()
            end.cancel()
            for promise in [start, end] { #expect(await promise.failure() as? PromiseError == .cancelled) }
        }
        await DefaultExecutor.drain()
        #expect(cage.survivors.isEmpty)
    }

    @Test("and returns in a circle of guarantees, which have no value")
    func guarantees() {
        let itself = Locked<Guarantee<Int>?>(nil)
        let (start, resolve) = Guarantee<Int>.pending()
        let first = start.then(on: nil) { _ in itself.withLock { $0.take() } ?? .value(0) }
        let end = first.map(on: nil) { $0 }
        itself.withLock { $0 = end }
        end.cancel()
        resolve(1)
        #expect(first.isPending && end.isPending)
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
}
