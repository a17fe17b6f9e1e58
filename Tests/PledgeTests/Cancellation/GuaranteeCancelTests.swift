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

    @Test("ends the pause at the beginning of its chain, and runs only the handlers needed for its value")
    func chain() async {
        let events = Recorder<Int>()
        let guarantee = pause().map { events.append(1) }.get { events.append(2) }.done { events.append(3) }
        guarantee.cancel()
        await guarantee.value
        #expect(events.all == [1])
        #expect(time.alarmCount == 0)
    }

    @Test("at any moment ends the pause that its chain has reached, and those that it reaches later", arguments: 0..<4)
    func anyMoment(hops: Int) async {
        let time = time
        let guarantee = Guarantee()
            .then { after(seconds: 1, timekeeper: time.timekeeper) }
            .then { after(seconds: 2, timekeeper: time.timekeeper) }
        await DefaultExecutor.drain(hops: hops)
        guarantee.cancel()
        await guarantee.value
        #expect(time.alarmCount == 0)
    }

    @Test("does not end a pause for which another guarantee or promise waits")
    func spares() async {
        let shared = pause()
        let (one, other) = (shared.map { 1 }, shared.map { 2 })
        let promise = shared.then { Promise.value(3) }
        one.cancel()
        one.cancel()
        other.cancel()
        #expect(time.alarmCount == 1)
        promise.cancel()
        #expect(time.alarmCount == 0)
        #expect(await one.value == 1)
        #expect(await other.value == 2)
    }

    @Test("cancels the promise of a recover, and the recover handles the cancellation")
    func recovered() async {
        let source = Source(Int.self)
        let guarantee: Guarantee<Int> = source.promise.recover { error in Guarantee.value(error.isCancelled ? -1 : 0) }
        guarantee.cancel()
        #expect(source.stopCount == 1)
        #expect(await guarantee.value == -1)
    }

    @Test("ends every pause of a when(guarantees:) or a race, and settles", arguments: [true, false])
    func joined(isRace: Bool) async {
        let pauses = (1...3).map { pause(Double($0)) }
        let guarantee: Guarantee<Void> =
            isRace ? race(pauses[0], pauses[1], pauses[2]) : when(guarantees: pauses)
        guarantee.cancel()
        #expect(time.alarmCount == 0)
        await guarantee.value
    }

    @Test("of a when(resolved:) cancels the promises without other dependents, and has the outcomes of all")
    func whenResolved() async {
        let sources = [Source(Int.self), Source(Int.self), Source(Int.self)]
        let guarantee = when(resolved: sources.map(\.promise))
        let other = sources[2].promise.map { $0 }
        sources[0].seal.fulfill(1)
        await DefaultExecutor.drain()
        guarantee.cancel()
        #expect(sources.map(\.stopCount) == [0, 1, 0])
        sources[2].seal.fulfill(2)
        #expect(await guarantee.value.map { try? $0.get() } == [1, nil, 2])
        withExtendedLifetime(other) {}
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
}
