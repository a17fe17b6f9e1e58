import Dispatch
import Pledge
import PledgeTestSupport
import Testing

/// Settles, cancels, and releases chains on a thread with 128 KiB of stack, which would overflow if each link needed a
/// stack frame. `PLEDGE_DEPTH` specifies the length of the chains. The long run of all tests uses 100,000 links.
@Suite("A very long chain", .serialized)
struct DepthTests {
    /// Adds a link to a chain.
    struct Link: Sendable, CustomTestStringConvertible {
        let name: String
        /// The value at the end of a chain that begins with 7.
        var value = 7
        /// Whether a cancel from below doesn't reach the promise above this link.
        var isShared = false
        let add: @Sendable (Promise<Int>) -> Promise<Int>
        var testDescription: String { name }
    }

    enum Ending: CaseIterable {
        case fulfilled, rejected, cancelledAtEnd, cancelledAtSource, dropped
    }

    static let links = [
        Link(name: "map") { $0.map { $0 } },
        Link(name: "map(on: nil)") { $0.map(on: nil) { $0 } },
        Link(name: "map(on: queue)") { $0.map(on: queue) { $0 } },
        Link(name: "then") { $0.then { Promise.value($0) } },
        Link(name: "tap") { $0.tap(on: nil) { _ in } },
        Link(name: "done and map", value: 0) { $0.done { _ in }.map { 0 } },
        Link(name: "recover") { $0.recover { error -> Promise<Int> in throw error } },
        Link(name: "ensure") { $0.ensure {} },
        Link(name: "ensure(on: nil)") { $0.ensure(on: nil) {} },
        Link(name: "ensureThen") { $0.ensureThen { Guarantee() } },
        Link(name: "Promise(bridge)") { Promise($0) },
        Link(name: "shared", isShared: true) { $0.shared() },
        Link(name: "pipe") { input in
            Promise { seal in
                input.pipe { seal.resolve($0) }
                seal.onCancel { input.cancel() }
            }
        },
        Link(name: "await") { input in Promise { try await input.value } },
        Link(name: "when and firstValue") { when(fulfilled: [$0]).firstValue },
        Link(name: "race") { race($0) },
        Link(name: "timeout") { $0.timeout(seconds: 1e6, timekeeper: never) },
        Link(name: "retry") { input in retry(attempts: 1) { input } },
        Link(name: "settled and then") { $0.settled().then { result in Promise { $0.resolve(result) } } },
    ]

    private static let queue = DispatchQueue(label: "links")
    private static let never = Timekeeper(now: { .distantPast }, schedule: { _, _ in {} })

    @Test(
        "A very long chain of one operator has the expected outcome and is released, without overflowing a small stack",
        arguments: links, Ending.allCases)
    func deep(link: Link, ending: Ending) async {
        let fault = Fault("deep")
        let (objects, stops) = (LiveObjects(), Counter())
        let kept = Locked<Resolver<Int>?>(nil)
        let result = await SmallStack.run {
            let promise: Promise<Int>
            var seal: Resolver<Int>?
            (promise, seal) = Promise<Int>.pending()
            seal?.onCancel { stops.increment() }
            let watched = objects.captured("captured at the source")
            var end = promise.get(on: nil) { _ in watched.capture() }
            for _ in 0..<SmallStack.depth { end = link.add(end) }
            switch ending {
            case .fulfilled: seal?.fulfill(7)
            case .rejected: seal?.reject(fault)
            case .cancelledAtEnd:
                kept.withLock { $0 = seal }
                end.cancel()
            case .cancelledAtSource: promise.cancel()
            case .dropped: seal = nil
            }
            return Result { try end.wait() }
        }
        switch ending {
        case .fulfilled: #expect((try? result.get()) == link.value)
        case .rejected: #expect(throws: fault) { try result.get() }
        case .cancelledAtEnd, .cancelledAtSource:
            if case .failure(let error) = result { #expect(error.isCancelled) } else { Issue.record("not canceled") }
            if !link.isShared { await Wait.until { stops.value == 1 } }
        case .dropped:
            if case .failure(PromiseError.dropped) = result {} else { Issue.record("\(result)") }
        }
        kept.withLock { $0 = nil }
        await Wait.until { objects.survivors.isEmpty }
    }

    @Test(
        "A very long loop of `then` closures, each of which returns the next promise, delivers its value",
        arguments: [nil, DispatchQueue.pledge])
    func thenLoop(queue: DispatchQueue?) async {
        @Sendable func countdown(_ number: Int) -> Promise<Int> {
            number == 0 ? .value(7) : Promise.value(number - 1).then(on: queue) { countdown($0) }
        }
        // Needs more stack, because a then closure may run inside another then closure, up to a fixed depth.
        let result = await SmallStack.run(bytes: 256 << 10) { try? countdown(2 * SmallStack.depth).wait() }
        #expect(result == 7)
    }
}
