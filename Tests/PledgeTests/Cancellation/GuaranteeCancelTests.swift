import Pledge
import PledgeTestSupport
import Testing

// A guarantee cannot reject. Canceling one tells its source to finish early, and it settles when the source does.
@Suite("Canceling a guarantee")
struct GuaranteeCancelTests {
    private let time = ManualTimekeeper()

    private func pause(_ seconds: Double = 5) -> Guarantee<Void> {
        after(seconds: seconds, timekeeper: time.timekeeper)
    }

    @Test("neither rejects nor fulfills it by itself")
    func staysPending() async {
        let (guarantee, resolve) = Guarantee<Int>.pending()
        guarantee.cancel()
        #expect(guarantee.isPending)
        resolve(1)
        #expect(await guarantee.value == 1)
    }

    @Test("ends the pause at the beginning of its chain, and runs only the handlers needed for its value")
    func chain() async {
        let events = Recorder<Int>()
        let guarantee = pause().map { events.append(1) }.get { events.append(2) }.done { events.append(3) }
        guarantee.cancel()
        await guarantee.value
        #expect(events.all == [1])
        #expect(time.alarmCount == 0)
    }

    @Test("ends a pause that its chain reaches later")
    func laterPause() async {
        let time = time
        let guarantee = pause().then { after(seconds: 7, timekeeper: time.timekeeper) }
        guarantee.cancel()
        await guarantee.value
        #expect(time.alarmCount == 0)
    }

    @Test("ends a pause that its chain has reached")
    func innerPause() async {
        let time = time
        let guarantee = Guarantee().then { after(seconds: 7, timekeeper: time.timekeeper) }
        await DefaultExecutor.drain()
        #expect(time.alarmCount == 1)
        guarantee.cancel()
        await guarantee.value
        #expect(time.alarmCount == 0)
    }

    @Test("does not end a pause for which another handler waits")
    func spares() async {
        let shared = pause()
        let (one, other) = (shared.map { 1 }, shared.map { 2 })
        one.cancel()
        one.cancel()
        #expect(time.alarmCount == 1)
        other.cancel()
        #expect(time.alarmCount == 0)
        #expect(await one.value == 1)
        #expect(await other.value == 2)
    }

    @Test("lets it settle, even if many guarantees of the same source are canceled")
    func many() async {
        let (source, resolve) = Guarantee<Int>.pending()
        let guarantees = (0..<40).map { number in source.map { $0 + number } }
        for guarantee in guarantees.dropLast() { guarantee.cancel() }
        resolve(1)
        #expect(await when(guarantees: guarantees).value == Array(1...40))
    }

    @Test("cancels the promise of a recover, and the recover handles the cancellation")
    func recovered() async {
        let source = Source(Int.self)
        let guarantee: Guarantee<Int> = source.promise.recover { error in Guarantee.value(error.isCancelled ? -1 : 0) }
        guarantee.cancel()
        #expect(source.stopCount == 1)
        #expect(await guarantee.value == -1)
    }

    @Test("ends every pause for which when(guarantees:) waits, and settles")
    func whenGuarantees() async {
        let guarantee: Guarantee<Void> = when(guarantees: pause(1), pause(2), pause(3))
        guarantee.cancel()
        #expect(time.alarmCount == 0)
        await guarantee.value
    }

    @Test("cancels every promise for which when(resolved:) waits, and has the outcomes")
    func whenResolved() async {
        let sources = [Source(Int.self), Source(Int.self)]
        let guarantee = when(resolved: sources.map(\.promise))
        sources[0].seal.fulfill(1)
        await DefaultExecutor.drain()
        guarantee.cancel()
        #expect(sources.map(\.stopCount) == [0, 1])
        let outcomes = await guarantee.value
        #expect(outcomes.map { try? $0.get() } == [1, nil])
    }

    @Test("of a when(resolved:) waits for a promise that has another dependent")
    func whenResolvedShared() async {
        let source = Source(Int.self)
        let other = source.promise.map { $0 }
        let guarantee = when(resolved: [source.promise])
        guarantee.cancel()
        #expect(source.stopCount == 0)
        source.seal.fulfill(1)
        #expect(await guarantee.value.map { try? $0.get() } == [1])
        withExtendedLifetime(other) {}
    }

    @Test("ends every pause in a race, and settles")
    func racing() async {
        let guarantee: Guarantee<Void> = race(pause(1), pause(2), pause(3))
        guarantee.cancel()
        #expect(time.alarmCount == 0)
        await guarantee.value
    }

    @Test("of work on a queue lets that run")
    func queue() async {
        let marked = MarkedQueue()
        marked.queue.suspend()
        let guarantee: Guarantee<Int> = marked.queue.async(.promise) { 1 }
        guarantee.cancel()
        marked.queue.resume()
        #expect(await guarantee.value == 1)
    }

    @Test("at any moment of its chain lets it settle", arguments: 0..<4)
    func anyMoment(hops: Int) async {
        let time = time
        for _ in 0..<200 {
            let guarantee = Guarantee()
                .then { after(seconds: 1, timekeeper: time.timekeeper) }
                .then { after(seconds: 2, timekeeper: time.timekeeper) }
            await DefaultExecutor.drain(hops: hops)
            let canceller = Task.detached { guarantee.cancel() }
            await canceller.value
            await guarantee.value
        }
        #expect(time.alarmCount == 0)
    }

    @Test("of one dependent does not affect its source until a promise that also waits for it is canceled")
    func mixedDependents() async {
        let pause = after(seconds: 1, timekeeper: time.timekeeper)
        let guarantee = pause.map { 1 }
        let promise = pause.then { Promise.value(2) }
        guarantee.cancel()
        #expect(time.alarmCount == 1)
        promise.cancel()
        #expect(time.alarmCount == 0)
        #expect(await guarantee.value == 1)
    }
}
