import Foundation
import PledgeHTTP
import PledgeTestSupport
import Testing

@Suite("An alarm")
struct AlarmTests {
    private let clock = ManualTimekeeper()
    private let fired = Recorder<TimeInterval>()

    private func plan(_ alarm: Alarm, _ time: TimeInterval?) -> (@Sendable () -> Void)? {
        alarm.plan(time) { [fired] in fired.append(time ?? .infinity) }
    }

    @Test(
        "An alarm goes off once, at the time planned last, even if plans run out of order; a canceled alarm never goes off"
    )
    func last() {
        let alarm = Alarm(clock.timekeeper)
        for time in [10.0, 5, 20] { plan(alarm, time)?() }
        #expect(plan(alarm, 20) == nil && clock.alarmCount == 1)
        clock.advance(by: 100)
        #expect(fired.all == [20] && clock.alarmCount == 0)
        plan(alarm, 10)?()
        plan(alarm, nil)?()
        #expect(clock.alarmCount == 0)
        let (early, late) = (plan(alarm, 10), plan(alarm, 30))
        late?()
        early?()
        #expect(clock.alarmCount == 1)
        clock.advance(by: 100)
        #expect(fired.all == [20, 30])
    }

    @Test("An alarm can be set again after its timer fired early, and ignores a timer that couldn't be canceled")
    func again() {
        let early = ManualTimekeeper()
        let alarm = Alarm(
            Timekeeper(
                now: early.timekeeper.now, uptime: early.timekeeper.uptime,
                schedule: { seconds, work in
                    _ = early.timekeeper.schedule(seconds / 2, work)
                    return {}
                }))
        plan(alarm, 8)?()
        early.advance(by: 4)
        plan(alarm, 8)?()
        early.advance(by: 2)
        for time in [20.0, 30] { plan(alarm, time)?() }
        early.advance(by: 24)
        #expect(fired.all == [8, 8, 30])
    }
}
