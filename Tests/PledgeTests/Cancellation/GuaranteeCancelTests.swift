@testable import Pledge
import PledgeTestSupport
import Testing

// A guarantee cannot reject. Canceling a guarantee tells its source to finish early; the guarantee settles with the source.
@Suite("Canceling a guarantee")
struct GuaranteeCancelTests {
    @Test(
        "Canceling a guarantee ends the delay that began its chain, and runs only the closures that compute its value")
    func chain() async {
        let (time, events) = (ManualTimekeeper(), Recorder<Int>())
        let guarantee = after(seconds: 5, timekeeper: time.timekeeper).map { events.append(1) }
            .get { events.append(2) }.done { events.append(3) }
        guarantee.cancel()
        await guarantee.value
        #expect(events.all == [1])
        #expect(time.alarmCount == 0)
    }

    @Test("Canceling a guarantee for work on a queue does not keep that work from running")
    func queue() async {
        let marked = MarkedQueue()
        marked.queue.suspend()
        let guarantee: Guarantee<Int> = marked.queue.async(.promise) { 1 }
        guarantee.cancel()
        marked.queue.resume()
        #expect(await guarantee.value == 1)
    }

    @Test("Canceling a guarantee in a circle returns, although the guarantees of the circle never get a value")
    func circle() {
        let itself = Locked<Guarantee<Int>?>(nil)
        let (start, resolve) = Guarantee<Int>.pending()
        let first = start.then(on: nil) { _ in itself.withLock { $0.take() } ?? .value(0) }
        let end = first.map(on: nil) { $0 }
        itself.withLock { $0 = end }
        end.cancel()
        resolve(1)
        #expect(first.isPending && end.isPending)
    }

    @Test("A canceled `ensure` below a guarantee rejects only once the guarantee has its value")
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

@Suite("Canceled guarantees whose source continues for another dependent")
struct SleepingGuaranteeTests {
    @Test(
        "A canceled guarantee lives on for a dependent that is added later, but doesn't keep its source running"
    )
    func lateComer() {
        let time = ManualTimekeeper()
        let pause = after(seconds: 1, timekeeper: time.timekeeper)
        let other = pause.map {}
        var guarantee: Guarantee<Void>? = pause.map {}
        let isHeld = { [weak storage = guarantee?._promise.storage] in storage != nil }
        guarantee?.cancel()
        let late = guarantee?.then { Promise.value(1) }
        guarantee = nil
        #expect(isHeld() && pause.handlerCount == 1)
        late?.cancel()
        #expect(!isHeld() && pause._handlerCount == 1 && time.alarmCount == 1)
        other.cancel()
        #expect(time.alarmCount == 0)
    }

    @Test("A canceled `ensure` whose guarantees are not kept alive runs as soon as they wait for work that continues")
    func unheld() {
        let (source, runs) = (Source(Int.self), Counter())
        let other = source.promise.map { $0 }
        let (start, resolve) = Guarantee<Int>.pending()
        // After the second cancel, the value of `start` may take long.
        for _ in 0..<2 { start.map(on: nil) { $0 }.cancel() }
        let end = start.then(on: nil) { _ in source.promise.recover(on: nil) { _ in Guarantee.value(0) } }
            .map(on: nil) { $0 }.ensure(on: nil) { runs.increment() }
        end.cancel()
        #expect(end.isPending && runs.value == 0)
        resolve(1)
        #expect(end.isRejected && runs.value == 1)
        #expect(other.isPending && source.promise.isPending && source.stopCount == 0)
    }

    @Test(
        "A long chain of canceled guarantees settles with its source, or is released, without overflowing a small stack",
        arguments: [true, false])
    func deep(settles: Bool) async {
        await SmallStack.run {
            let time = ManualTimekeeper()
            let pause = after(seconds: 1, timekeeper: time.timekeeper)
            let other = pause.map {}
            let end = (0..<SmallStack.depth / 4).reduce(pause) { end, _ in end.map(on: nil) {} }
            end.cancel()
            #expect(pause.handlerCount == 1)
            if settles { time.advance(by: 1) }
            #expect(end.isResolved == settles)
            withExtendedLifetime(other) {}
        }
    }
}
