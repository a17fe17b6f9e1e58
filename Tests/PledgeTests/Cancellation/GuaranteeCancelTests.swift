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
