import Dispatch
import Foundation
import Pledge
import PledgeTestSupport
import Testing

/// Waits in each place where a closure of the caller can run, except in handlers on the default queue or the main queue.
/// ``DeadlockTests`` covers those.
@Suite("A wait for a delay returns")
struct WaitPlaceTests {
    struct Place: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Runs a closure in this place, at once or later. Returns objects that must stay alive until the closure has run.
        let run: @Sendable (@escaping @Sendable () -> Void) -> [any Sendable]
    }

    private static func place(
        _ name: String, run: @escaping @Sendable (@escaping @Sendable () -> Void) -> [any Sendable]
    ) -> Place { Place(testDescription: name, run: run) }

    private static let timed = [
        place("in the work of a timer") { body in [Timekeeper.live.schedule(0, body)] },
        place("in an inline handler of a delay") { body in [after(seconds: 0).done(on: nil, body)] },
        place("in an inline handler of a timeout") { body in
            let source = Source(Int.self)
            return [source, source.promise.timeout(seconds: 0).catch(on: nil) { _ in body() }]
        },
        place("in a cancel hook that a timeout runs") { body in
            let source = Source(Int.self)
            source.seal.onCancel(body)
            return [source, source.promise.timeout(seconds: 0)]
        },
        place("in an ensure that a timeout runs") { body in
            let source = Source(Int.self)
            return [source, source.promise.ensure(on: nil, body).timeout(seconds: 0)]
        },
        place("in a deinit, after a timer") { body in
            let token = AtEnd(body)
            after(seconds: 0).done(on: nil) { withExtendedLifetime(token) {} }
            return []
        },
        place("in a deinit, after a timer that was canceled") { body in
            Timekeeper.live.schedule(1e6) { [token = AtEnd(body)] in withExtendedLifetime(token) {} }()
            return []
        },
    ]

    private static let inline = [
        place("in an inline handler") { body in
            let source = Source(Int.self)
            let end = source.promise.done(on: nil) { _ in body() }
            source.seal.fulfill(1)
            return [end]
        },
        place("in a pipe") { body in
            Promise().pipe { _ in body() }
            return []
        },
        place("in an inline handler inside another") { body in
            [Promise().done(on: nil) { Promise().done(on: nil, body).cauterize() }]
        },
        place("in a cancel hook") { body in
            let source = Source(Int.self)
            source.seal.onCancel(body)
            source.promise.map { $0 }.cancel()
            return []
        },
        place("in a cancel hook that is set too late") { body in
            let source = Source(Int.self)
            source.promise.cancel()
            source.seal.onCancel(body)
            return []
        },
        place("in an ensure after a cancel") { body in
            let source = Source(Int.self)
            source.promise.ensure(on: nil, body).cancel()
            return []
        },
        place("in a deinit that a cancel runs") { body in
            let (source, token) = (Source(Int.self), AtEnd(body))
            source.promise.done(on: nil) { _ in withExtendedLifetime(token) {} }.cancel()
            return []
        },
        place("in the body of a promise") { body in [Promise<Int> { _ in body() }] },
        place("in firstly") { body in
            [
                firstly { () -> Promise<Void> in
                    body()
                    return Promise()
                }
            ]
        },
        place("in the first attempt of a retry") { body in
            [
                retry(attempts: 1) { () -> Promise<Void> in
                    body()
                    return Promise()
                }
            ]
        },
    ]

    private static let queues = [
        place("in a handler on a serial queue") { body in [Promise().done(on: DispatchQueue(label: "own"), body)] },
        place("in a handler on a concurrent queue") { body in [Promise().done(on: .global(), body)] },
        place("in queue.async(.promise)") { body in [DispatchQueue(label: "own").async(.promise, execute: body)] },
        place("in an ensure on a queue after a cancel") { body in
            let source = Source(Int.self)
            source.promise.ensure(on: DispatchQueue(label: "own"), body).cancel()
            return []
        },
    ]

    @Test(
        "A wait for a delay returns in every kind of closure, except in handlers on the default or main queue",
        arguments: timed + inline + queues)
    func returns(in place: Place) async throws {
        let (outcome, seal) = Promise<Void>.pending()
        // Runs on a thread of its own, because the threads of tasks must not be blocked.
        Thread.detachNewThread {
            let held = place.run { seal.resolve(Result { try after(seconds: 0.001).wait() }) }
            _ = try? outcome.wait()
            withExtendedLifetime(held) {}
        }
        try await outcome.value
    }

    #if compiler(>=6.2) && (os(macOS) || os(Linux) || os(Windows) || os(FreeBSD))
        // Runs in a process of its own, because the configuration applies to the whole process.
        @Test("If the configured queues are nil, a wait for a delay returns even in a handler that names no queue")
        func configured() async {
            await #expect(processExitsWith: .success) {
                PromiseConfiguration.shared.queues = (map: nil, return: nil)
                try await after(seconds: 0).then { () -> Promise<Void> in
                    try after(seconds: 0.001).wait()
                    return Promise()
                }.value
            }
        }
    #endif

    @Test("A delay ends even while a timeout runs a cancel hook that blocks its thread")
    func independent() async throws {
        let (source, gate) = (Source(Int.self), DispatchSemaphore(value: 0))
        source.seal.onCancel { gate.wait() }
        let (late, seal) = Promise<Int>.pending()
        // Runs on another thread, because the cancel hook may run and block inside `timeout` if the time is up at once.
        Thread.detachNewThread { source.promise.timeout(seconds: 0).pipe { seal.resolve($0) } }
        await Wait.until { source.seal.isCancelled }
        await after(seconds: 0.001).value
        gate.signal()
        await #expect(throws: PromiseError.timedOut(seconds: 0)) { try await late.value }
    }
}
