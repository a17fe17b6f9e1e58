@testable import Pledge
import PledgeTestSupport
import Testing

@Suite("Canceled guarantees whose source continues for another dependent")
struct SleepingGuaranteeTests {
    @Test("are retained by the source only while a later dependent waits for them, and do not keep it from a cancel")
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

    @Test("settle with the source or are released, even in a long chain on a small stack", arguments: [true, false])
    func deep(settles: Bool) {
        SmallStack.run {
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
