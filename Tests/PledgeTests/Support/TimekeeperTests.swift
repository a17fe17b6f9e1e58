import Foundation
import Pledge
import PledgeTestSupport
import Testing

@Suite("A timekeeper")
struct TimekeeperTests {
    @Test("that is live returns the current time, and an uptime that only increases, at the pace of its timers")
    func uptime() async {
        let (earlier, now) = (Date(), Timekeeper.live.now())
        #expect(earlier <= now && now <= Date())
        let before = Timekeeper.live.uptime()
        let passed = await withCheckedContinuation { continuation in
            _ = Timekeeper.live.schedule(0.02) { continuation.resume(returning: Timekeeper.live.uptime() - before) }
        }
        #expect(passed >= 0.02)
    }

    @Test("without an uptime of its own takes it from its date")
    func derivedUptime() {
        let date = Locked(Date(timeIntervalSince1970: 100))
        let keeper = Timekeeper(now: { date.withLock { $0 } }, schedule: { _, _ in {} })
        let before = keeper.uptime()
        date.withLock { $0 += 5 }
        #expect(keeper.uptime() - before == 5)
    }

    @Test(
        "that is live runs its work once, even for a delay that is tiny, negative, or not a number",
        arguments: [0, -5, 0.000_001, .nan])
    func rings(seconds: Double) async {
        let calls = Counter()
        await withCheckedContinuation { continuation in
            _ = Timekeeper.live.schedule(seconds) {
                calls.increment()
                continuation.resume()
            }
        }
        #expect(calls.value == 1)
    }

    @Test("that is live accepts an infinite delay, and its work can be canceled more than once")
    func cancel() {
        let cancel = Timekeeper.live.schedule(.infinity) { Issue.record("the work ran although it was canceled") }
        cancel()
        cancel()
    }
}
