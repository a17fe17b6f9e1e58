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

    @Test("ends before what follows it, if another cancel comes upon the first")
    func cancelsMeet() {
        let events = Recorder<String>()
        let source = Source(Int.self)
        let tail = Locked<Promise<Int>?>(nil)
        // Released when the first cancel has marked the promises, but rejected none. So could another thread come then.
        func map(holding second: AtEnd) -> Promise<Int> {
            source.promise.map {
                second.stay()
                return $0
            }
        }
        let first = map(holding: AtEnd { tail.withLock { $0 }?.cancel() })
            .ensure(on: nil) { events.append("first") }
        let middle = first.map { $0 }
        tail.withLock { $0 = middle }
        let end = middle.ensure(on: nil) { events.append("second") }
        first.cancel()
        #expect(events.all == ["first", "second"])
        #expect(end.error?.isCancelled == true && source.stopCount == 1)
    }
}

/// Runs a closure when it is released.
private final class AtEnd: Sendable {
    private let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }

    func stay() {}

    deinit { run() }
}

private func blockingWait(_ semaphore: DispatchSemaphore) { semaphore.wait() }
