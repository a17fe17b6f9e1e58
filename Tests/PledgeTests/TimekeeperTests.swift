import Foundation
import Pledge
import PledgeTestSupport
import Testing

@Suite("A timekeeper")
struct TimekeeperTests {
    @Test("The live timekeeper returns the current time, and an uptime that advances at the pace of its timers")
    func uptime() async {
        let (earlier, now) = (Date(), Timekeeper.live.now())
        #expect(earlier <= now && now <= Date())
        let (before, rang) = (Timekeeper.live.uptime(), Locked<Double?>(nil))
        _ = Timekeeper.live.schedule(0.02) { rang.withLock { $0 = Timekeeper.live.uptime() } }
        await Wait.until { rang.withLock { $0 } != nil }
        #expect(rang.withLock { $0 ?? 0 } - before >= 0.02)
    }

    @Test("A timekeeper that was created without an uptime derives the uptime from its date")
    func derivedUptime() {
        let date = Locked(Date(timeIntervalSince1970: 100))
        let keeper = Timekeeper(now: { date.withLock { $0 } }, schedule: { _, _ in {} })
        let before = keeper.uptime()
        date.withLock { $0 += 5 }
        #expect(keeper.uptime() - before == 5)
    }

    @Test(
        "The live timekeeper runs its work once, even for a delay that is tiny, negative, or not a number",
        arguments: [0, -5, 0.000_001, .nan])
    func rings(seconds: Double) async {
        let calls = Counter()
        _ = Timekeeper.live.schedule(seconds) { calls.increment() }
        await Wait.until { calls.value > 0 }
        #expect(calls.value == 1)
    }

    @Test("The live timekeeper accepts an infinite delay, and its work can be canceled more than once")
    func cancel() {
        let cancel = Timekeeper.live.schedule(.infinity) { Issue.record("the work ran although it was canceled") }
        cancel()
        cancel()
    }
}
