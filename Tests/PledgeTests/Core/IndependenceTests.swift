import Dispatch
import Foundation
import Pledge
import PledgeTestSupport
import Testing

/// While a handler keeps the default queue busy, everything that does not need that queue continues.
///
/// These tests block their thread rather than suspend: other tests, which wait for the default queue, may occupy all
/// threads on which tasks run.
@Suite("While a handler keeps the default queue busy", .timeLimit(.minutes(60)), .serialized)
struct IndependenceTests {
    private let own = MarkedQueue()

    /// Waits for the value of the promise that `make` creates while the handler runs.
    private func value<T: Sendable>(of make: () -> Promise<T>) throws -> T {
        let gate = ExecutorGate()
        defer { gate.open() }
        return try make().wait()
    }

    @Test("an error passes a handler for values")
    func error() throws {
        let value = try value {
            Promise<Int>(error: Fault.one).map(on: own.queue) { $0 }.recover(on: own.queue) { _ in Promise.value(1) }
        }
        #expect(value == 1)
    }

    @Test("a promise adopts the one that its then closure returns")
    func adopted() throws {
        let (inner, seal) = Promise<Int>.pending()
        let value = try value {
            let promise = Promise().then(on: own.queue) { inner }
            own.queue.async { seal.fulfill(1) }
            return promise
        }
        #expect(value == 1)
    }

    @Test("when collects its values")
    func when() throws {
        let value = try value {
            let inputs = (0..<3).map { number in own.queue.async(.promise) { () throws -> Int in number } }
            return Pledge.when(fulfilled: inputs).map(on: own.queue) { $0 }
        }
        #expect(value == [0, 1, 2])
    }

    @Test("a waiting thread continues")
    func wait() throws {
        let (promise, seal) = Promise<Int>.pending()
        let value = try value {
            Thread.detachNewThread { seal.fulfill(1) }
            return DispatchQueue(label: "waits").async(.promise) { () throws -> Int in try promise.wait() }
        }
        #expect(value == 1)
    }

    @Test("operators without a closure return their part of the value")
    func parts() throws {
        let list = Promise.value([1, 2])
        #expect(try value { list.firstValue } == 1)
        #expect(try value { list.lastValue } == 2)
        try value { list.asVoid() }
    }

    @Test("a promise that was fulfilled in time does not time out")
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

/// The default queue shares its threads with other work.
@Suite("The default queue", .timeLimit(.minutes(60)))
struct FairnessTests {
    @Test("runs other work, on it and on queues that target it, during an endless chain")
    func turns() async {
        let isOver = Locked(false)
        @Sendable func forever() -> Promise<Void> {
            Promise().then { isOver.withLock { $0 } ? .value : forever() }
        }
        let chain = forever()
        // Ended by that other work itself: this test's task may have to wait for its turn behind others.
        let targeting = DispatchQueue(label: "targeting", target: .pledge)
        DispatchQueue.pledge.async { targeting.async { isOver.withLock { $0 = true } } }
        _ = await chain.outcome()
    }
}

#if compiler(>=6.2) && (os(macOS) || os(Linux) || os(Windows) || os(FreeBSD))

    // Each test has its own process, because it blocks the threads that all work shares.
    @Suite("While every other thread is blocked")
    struct BlockedProcessTests {
        @Test("timeouts end promises")
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

        @Test("awaited values arrive, because they do not need the default queue")
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
