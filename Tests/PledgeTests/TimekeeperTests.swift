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

    @Test("Overdue timers run one after another, and don't wait longer than ten milliseconds for a timer that blocks")
    func overdue() async {
        let (spans, count) = (Recorder<(begin: Double, end: Double)>(), 300)
        let released = DispatchSemaphore(value: 0)
        let start = Timekeeper.live.uptime()
        for number in 0..<count {
            _ = Timekeeper.live.schedule(0) {
                let begin = Timekeeper.live.uptime()
                // The first timer blocks until the second one runs beside it. Each of the others takes a fifth of a
                // millisecond.
                if number == 0 { released.wait() } else if number == 1 { released.signal() }
                while number > 0, Timekeeper.live.uptime() < begin + 0.000_2 {}
                spans.append((begin, Timekeeper.live.uptime()))
            }
        }
        await Wait.until { spans.all.count == count }
        let all = spans.all.sorted { $0.begin < $1.begin }
        let early = (1..<count).filter { index in
            let (earlier, later) = (all[index - 1], all[index])
            // On a busy machine, the thread may pause between taking the earlier work and noting its beginning.
            let begin = index > 1 ? min(earlier.begin, all[index - 2].end) : start
            return later.begin < earlier.end && later.begin - begin < 0.01
        }
        #expect(early.isEmpty)
    }

    @Test("The live timekeeper accepts an infinite delay, and its work can be canceled more than once")
    func cancel() {
        let cancel = Timekeeper.live.schedule(.infinity) { Issue.record("the work ran although it was canceled") }
        cancel()
        cancel()
    }
}
