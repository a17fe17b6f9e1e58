import Dispatch
import Foundation
import Pledge
import PledgeTestSupport
import Testing

/// While a handler of somebody's keeps the default queue busy, everything that does not need that queue goes on.
///
/// These tests block their thread rather than give it back: other tests, which wait for the default queue, may have taken
/// all threads that tasks run on.
@Suite("Beside a slow handler on the default queue", .timeLimit(.minutes(60)), .serialized)
struct IndependenceTests {
    private let own = MarkedQueue()

    /// Waits for what the promise comes to that `make` makes while the handler runs.
    private func value<T: Sendable>(of make: () -> Promise<T>) throws -> T {
        let gate = ExecutorGate()
        defer { gate.open() }
        return try make().wait()
    }

    @Test("an error passes by a handler that does not want it")
    func error() throws {
        let value = try value {
            Promise<Int>(error: Fault.one).map(on: own.queue) { $0 }.recover(on: own.queue) { _ in Promise.value(1) }
        }
        #expect(value == 1)
    }

    @Test("a promise that a then returns is followed")
    func adopted() throws {
        let (inner, seal) = Promise<Int>.pending()
        let value = try value {
            let promise = Promise().then(on: own.queue) { inner }
            own.queue.async { seal.fulfill(1) }
            return promise
        }
        #expect(value == 1)
    }

    @Test("when counts")
    func when() throws {
        let value = try value {
            let inputs = (0..<3).map { number in own.queue.async(.promise) { () throws -> Int in number } }
            return Pledge.when(fulfilled: inputs).map(on: own.queue) { $0 }
        }
        #expect(value == [0, 1, 2])
    }

    @Test("a thread that waits goes on")
    func wait() throws {
        let (promise, seal) = Promise<Int>.pending()
        let value = try value {
            Thread.detachNewThread { seal.fulfill(1) }
            return DispatchQueue(label: "waits").async(.promise) { () throws -> Int in try promise.wait() }
        }
        #expect(value == 1)
    }

    @Test("the parts of a value that need no closure arrive")
    func parts() throws {
        let list = Promise.value([1, 2])
        #expect(try value { list.map(\.count) } == 2)
        #expect(try value { list.firstValue } == 1)
        #expect(try value { list.lastValue } == 2)
        try value { list.asVoid() }
    }

    @Test("a promise that was fulfilled in time is not timed out")
    func timeout() throws {
        let time = ManualTimekeeper()
        let (promise, seal) = Promise<Int>.pending()
        let value = try value {
            let limited = promise.timeout(seconds: 0.5, timekeeper: time.timekeeper)
            time.advance(by: 0.05)
            seal.fulfill(1)
            time.advance(by: 10)
            return limited
        }
        #expect(value == 1)
        #expect(time.alarmCount == 0)
    }
}

/// The default queue is one of many that share a machine.
@Suite("The default queue", .timeLimit(.minutes(60)))
struct FairnessTests {
    @Test("lets other work on it, and on queues that target it, have its turn beside a chain without end")
    func turns() async {
        let isOver = Locked(false)
        @Sendable func forever() -> Promise<Void> {
            Promise().then { isOver.withLock { $0 } ? .value : forever() }
        }
        let chain = forever()
        let targeting = DispatchQueue(label: "targeting", target: .pledge)
        for queue in [DispatchQueue.pledge, targeting] {
            await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
        }
        isOver.withLock { $0 = true }
        _ = await chain.outcome()
    }

    @Test("is not held up by a lock while many handlers are sent: they may look at their promise, and at others")
    func looking() {
        let (promise, other) = (Source(Int.self), Source(Int.self))
        let looks = Counter()
        for _ in 0..<100 {
            promise.promise.done(on: nil) { _ in
                #expect(promise.promise.isFulfilled && other.promise.isPending)
                promise.promise.cancel()
                looks.increment()
            }.cauterize()
        }
        promise.seal.fulfill(1)
        #expect(looks.value == 100)
    }
}

#if os(macOS) || os(Linux) || os(Windows) || os(FreeBSD)

    // Processes of their own, because these fill the threads that everybody shares.
    @Suite("Where every other thread is blocked")
    struct BlockedProcessTests {
        @Test("alarms ring")
        func alarms() async {
            await #expect(processExitsWith: .success) {
                let isOver = DispatchSemaphore(value: 0)
                for _ in 0..<512 { DispatchQueue.global(qos: .userInitiated).async { isOver.wait() } }
                let (promise, seal) = Promise<Int>.pending()
                await #expect(throws: PromiseError.timedOut(seconds: 0.01)) {
                    try await promise.timeout(seconds: 0.01).value
                }
                withExtendedLifetime(seal) {}
            }
        }

        @Test("what is awaited arrives, as the default queue is not needed for that")
        func awaited() async {
            await #expect(processExitsWith: .success) {
                let gate = ExecutorGate()
                let values = (try await Promise.value(1).value, await Guarantee.value(2).value)
                #expect(values == (1, 2))
                await #expect(throws: Fault.one) { try await Promise<Int>(error: Fault.one).value }
                gate.open()
            }
        }
    }

#endif
