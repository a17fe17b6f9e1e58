import Dispatch
import Pledge
import PledgeTestSupport
import Testing

/// See also the seventh of the guarantees about order.
@Suite("The closure of ensure")
struct EnsureCancelTests {
    private let source = Source(Int.self)
    private let events = Recorder<String>()

    @Test("runs on its queue, and before the handlers that follow it")
    func beforeWhatFollows() async {
        let (events, marked) = (events, MarkedQueue())
        marked.queue.suspend()
        let end = source.promise.ensure(on: marked.queue) { events.append(marked.isCurrent ? "ensure" : "elsewhere") }
        let caught = end.catch(policy: .allErrors) { _ in events.append("catch") }
        end.cancel()
        #expect(source.stopCount == 1)
        await DefaultExecutor.drain()
        #expect(events.all.isEmpty)
        marked.queue.resume()
        _ = await caught.outcome()
        #expect(events.all == ["ensure", "catch"])
    }

    @Test("may have begun work in ensureThen, which is not canceled with the chain, and ends before what follows")
    func ensureThen() async {
        let (work, finish) = Guarantee<Void>.pending()
        let done = Counter()
        let end = Promise.value(1).ensureThen { work.done { done.increment() } }
        await DefaultExecutor.drain()
        end.cancel()
        #expect(end.isPending)

        finish(())
        await #expect(throws: PromiseError.cancelled) { try await end.value }

        #expect(done.value == 1)
    }

    @Test("ends before the handlers that follow it run, if the cancel comes while it runs")
    func underway() async {
        let events = events
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
        let (source, events) = (source, events)
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
