import Dispatch
import Pledge
import PledgeTestSupport
import Testing

@Suite("after")
struct AfterTests {
    private let time = ManualTimekeeper()

    @Test(
        "accepts any interval of Dispatch",
        arguments: [
            (DispatchTimeInterval.seconds(3), 3.0), (.milliseconds(250), 0.25), (.microseconds(500), 0.0005),
            (.nanoseconds(2_000), 0.000002), (.never, .infinity),
        ])
    func intervals(interval: DispatchTimeInterval, seconds: Double) {
        after(interval, timekeeper: time.timekeeper).cancel()
        #expect(time.requested.count == 1)
        #expect(time.requested.allSatisfy { $0 == seconds || abs($0 - seconds) < 1e-12 })
    }
}
