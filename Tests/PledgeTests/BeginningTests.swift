import Dispatch
import Pledge
import PledgeTestSupport
import Testing

@Suite("Functions that begin a chain")
struct BeginningTests {
    private let time = ManualTimekeeper()

    @Test(
        "`after` accepts every kind of DispatchTimeInterval",
        arguments: [
            (DispatchTimeInterval.seconds(3), 3.0), (.milliseconds(250), 0.25), (.microseconds(500), 0.0005),
            (.nanoseconds(2_000), 0.000002), (.never, .infinity),
        ])
    func intervals(interval: DispatchTimeInterval, seconds: Double) {
        after(interval, timekeeper: time.timekeeper).cancel()
        #expect(time.requested.count == 1)
        #expect(time.requested.allSatisfy { $0 == seconds || abs($0 - seconds) < 1e-12 })
    }

    @Test("`firstly` runs its closure at once on the calling thread, and begins the chain with the closure's outcome")
    func atOnce() async throws {
        var hasRun = false
        let promise = firstly {
            hasRun = true
            return Promise.value(1)
        }
        #expect(hasRun && promise.isFulfilled)
        #expect(try await promise.map { $0 + 1 }.value == 2)
        await #expect(throws: Fault.one) { try await firstly { () -> Promise<Int> in throw Fault.one }.value }
        let guarantee: Guarantee<Int> = firstly { Guarantee.value(1) }
        #expect(await guarantee.value == 1)
    }
}
