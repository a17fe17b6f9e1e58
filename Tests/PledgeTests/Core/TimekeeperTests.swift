import Foundation
import Pledge
import PledgeTestSupport
import Testing

@Suite("A timekeeper")
struct TimekeeperTests {
    @Test("that is live tells the time of day")
    func now() {
        let before = Date()
        let now = Timekeeper.live.now()
        #expect(before <= now && now <= Date())
    }

    @Test("that is live rings once, however little time was asked for", arguments: [0, -5, 0.000_001, .nan])
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

    @Test("that is live can be called off, more than once, and takes delays beyond all bounds")
    func callOff() {
        let callOff = Timekeeper.live.schedule(.infinity) { Issue.record("rang although called off") }
        callOff()
        callOff()
    }

    @Test("moved by hand rings in order, once, and knows what is left")
    func manual() {
        let time = ManualTimekeeper(start: Date(timeIntervalSince1970: 100))
        let rung = Recorder<Int>()
        let keeper = time.timekeeper
        _ = keeper.schedule(2) { rung.append(2) }
        _ = keeper.schedule(1) {
            rung.append(1)
            _ = keeper.schedule(0.5) { rung.append(15) }
        }
        let callOff = keeper.schedule(1) { rung.append(-1) }
        callOff()
        time.advance(by: 1.75)
        #expect(rung.all == [1, 15])
        #expect(time.alarmCount == 1)
        time.advance(by: 1)
        #expect(rung.all == [1, 15, 2])
        #expect(keeper.now() == Date(timeIntervalSince1970: 102.75))
    }
}
