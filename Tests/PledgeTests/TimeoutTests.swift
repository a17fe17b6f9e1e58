import Pledge
import PledgeTestSupport
import Testing

@Suite("timeout")
struct TimeoutTests {
    private let time = ManualTimekeeper()
    private let source = Source(Int.self)

    @Test("When the time is up, `timeout` rejects with an error that contains the limit, and cancels its promise once")
    func timesOut() async throws {
        let promise = source.promise.timeout(seconds: 5, timekeeper: time.timekeeper)
        time.advance(by: 5)
        #expect(source.promise.isRejected && source.stopCount == 1)
        let error = try #require(await promise.failure())
        #expect(error as? PromiseError == .timedOut(seconds: 5))
        #expect("\(error)" == "The promise did not settle within 5.0 s.")
    }

    @Test("A timeout with an invalid time rejects, and does not cancel its promise", arguments: [-1, Double.nan])
    func nonsense(seconds: Double) async {
        let promise = source.promise.timeout(seconds: seconds, timekeeper: time.timekeeper)
        await #expect(throws: PromiseError.badInput("A timeout cannot be \(seconds) s: the minimum is 0.")) {
            try await promise.value
        }
        #expect(source.stopCount == 0)
        #expect(time.alarmCount == 0)
    }

    @Test("A timeout of 0 seconds cancels its promise even if the timer fires before `timeout` returns")
    func immediately() async {
        let impatient = Timekeeper(
            now: time.timekeeper.now,
            schedule: { _, work in
                work()
                return {}
            })
        let promise = source.promise.timeout(seconds: 0, timekeeper: impatient)
        await #expect(throws: PromiseError.timedOut(seconds: 0)) { try await promise.value }
        #expect(source.stopCount == 1)
    }
}
