import Dispatch
import Foundation
import Pledge
import PledgeTestSupport
import Testing

/// While a handler keeps the default queue busy, everything that does not need that queue continues.
///
/// These tests block their own thread and don't suspend, because other tests that wait for the default queue may occupy all
/// the threads on which tasks run.
@Suite("While a handler keeps the default queue busy", .serialized)
struct IndependenceTests {
    /// Promises that get the value 1 without the default queue. Their closures run on the queue that is passed in.
    static let works: [@Sendable (DispatchQueue) -> Promise<Int>] = [
        // An error skips a handler for values.
        { own in Promise<Int>(error: Fault.one).map(on: own) { $0 }.recover(on: own) { _ in Promise.value(1) } },
        // A promise adopts the promise that its `then` closure returns.
        { own in
            let (inner, seal) = Promise<Int>.pending()
            defer { own.async { seal.fulfill(1) } }
            return Promise().then(on: own) { inner }
        },
        // A `when` collects its values.
        { own in
            let inputs = (0..<3).map { number in own.async(.promise) { () throws -> Int in number } }
            return when(fulfilled: inputs).map(on: own) { $0 == [0, 1, 2] ? 1 : 0 }
        },
        // A race takes the first value.
        { own in race(Promise.value(1), Promise.pending().promise).map(on: own) { $0 } },
        // A thread that waits for a promise continues.
        { own in
            let (promise, seal) = Promise<Int>.pending()
            Thread.detachNewThread { seal.fulfill(1) }
            return own.async(.promise) { () throws -> Int in try promise.wait() }
        },
        // Operators without a closure don't need a queue.
        { _ in Promise.value([1, 2]).firstValue }, { _ in Promise.value([2, 1]).lastValue },
        { own in Promise.value(2).asVoid().map(on: own) { 1 } },
    ]

    @Test(
        "While the default queue is busy, operations that don't run a handler on that queue continue",
        arguments: works.indices)
    func continues(_ index: Int) throws {
        let gate = ExecutorGate()
        defer { gate.open() }
        #expect(try Self.works[index](DispatchQueue(label: "own")).wait() == 1)
    }

    @Test("While the default queue is busy, a promise that was fulfilled in time does not time out")
    func timeout() throws {
        let (time, source, gate) = (ManualTimekeeper(), Source(Int.self), ExecutorGate())
        defer { gate.open() }
        let limited = source.promise.timeout(seconds: 0.5, timekeeper: time.timekeeper)
        time.advance(by: 0.49)
        source.seal.fulfill(1)
        time.advance(by: 10)
        #expect(try limited.wait() == 1)
        #expect(time.alarmCount == 0 && source.stopCount == 0)
    }
}

/// Tests that handlers on the default queue leave its threads to other work from time to time.
@Suite("The default queue")
struct FairnessTests {
    @Test("The default queue runs other work during an endless chain, including work on queues that target it")
    func turns() async {
        let isOver = Locked(false)
        @Sendable func forever() -> Promise<Void> {
            Promise().then { isOver.withLock { $0 } ? .value : forever() }
        }
        let chain = forever()
        // A block on the other queue ends the chain. The task of this test couldn't end it reliably, because the task may have to
        // wait behind those of other tests.
        let targeting = DispatchQueue(label: "targeting", target: .pledge)
        DispatchQueue.pledge.async { targeting.async { isOver.withLock { $0 = true } } }
        _ = await chain.outcome()
    }
}

#if compiler(>=6.2) && (os(macOS) || os(Linux) || os(Windows) || os(FreeBSD))

    // The test runs in a process of its own, because it blocks the threads that all tests share.
    @Suite("While every other thread is blocked")
    struct BlockedProcessTests {
        @Test("Timeouts and awaited values arrive even while the default queue and all other threads are blocked")
        func alarms() async {
            await #expect(processExitsWith: .success) {
                let (isOver, gate) = (DispatchSemaphore(value: 0), ExecutorGate())
                for _ in 0..<512 { DispatchQueue.global(qos: .userInitiated).async { isOver.wait() } }
                let (promise, seal) = Promise<Int>.pending()
                await #expect(throws: PromiseError.timedOut(seconds: 0.01)) {
                    try await promise.timeout(seconds: 0.01).value
                }
                let values = (try await Promise.value(1).value, await Guarantee.value(2).value)
                #expect(values == (1, 2))
                await #expect(throws: Fault.one) { try await Promise<Int>(error: Fault.one).value }
                withExtendedLifetime((seal, gate)) {}
            }
        }
    }

#endif
