import Dispatch
import Pledge
import PledgeTestSupport
import Testing

@Suite("An ensure that is canceled while its closure runs")
struct EnsureUnderwayTests {
    @Test("lets the closure end before the handlers that follow it run")
    func bodyEnds() async {
        let events = Recorder<String>()
        let (hasBegun, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let end = Promise.value(1).ensure(on: DispatchQueue(label: "ensure")) {
            hasBegun.signal()
            mayEnd.wait()
            events.append("ensure")
        }
        let caught = end.catch(on: nil, policy: .allErrors) { events.append($0.isCancelled ? "cancelled" : "failed") }
        await Task.detached { blockingWait(hasBegun) }.value
        end.cancel()
        mayEnd.signal()
        _ = await caught.outcome()
        #expect(events.all == ["ensure", "cancelled"])
    }
}

private func blockingWait(_ semaphore: DispatchSemaphore) { semaphore.wait() }
