@testable import Pledge
import PledgeTestSupport
import Testing

/// Canceled guarantees whose source continues for another dependent.
@Suite("Canceled guarantees whose source continues")
struct SleepingGuaranteeTests {
    private let time: ManualTimekeeper
    private let pause: Guarantee<Void>
    private let other: Guarantee<Void>

    init() {
        time = ManualTimekeeper()
        pause = after(seconds: 1, timekeeper: time.timekeeper)
        other = pause.map {}
    }

    /// Only the other dependent is left, and nothing keeps it from ending the pause.
    private func expectReleased() {
        #expect(pause._handlerCount == 1)
        #expect(time.alarmCount == 1)
        other.cancel()
        #expect(time.alarmCount == 0)
    }

    @Test("are retained by the source only while a later dependent waits for them")
    func lateComer() {
        var guarantee: Guarantee<Void>? = pause.map {}
        let isHeld = { [weak storage = guarantee?._promise.storage] in storage != nil }
        guarantee?.cancel()
        let late = guarantee?.then { Promise.value(1) }
        guarantee = nil
        #expect(isHeld())
        #expect(pause.handlerCount == 1)
        late?.cancel()
        #expect(!isHeld())
        expectReleased()
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
