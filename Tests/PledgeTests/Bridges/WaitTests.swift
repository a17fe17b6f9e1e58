import Dispatch
import Foundation
import Pledge
import PledgeTestSupport
import Testing

@Suite("wait")
struct WaitTests {
    @Test("wait returns the value")
    func value() throws {
        #expect(try Promise.value(1).map { $0 + 1 }.wait() == 2)
        #expect(try Guarantee.value(1).wait() == 1)
    }

    @Test("wait throws the error")
    func error() {
        #expect(throws: Fault.one) { try Promise<Int>(error: Fault.one).map { $0 + 1 }.wait() }
    }

    @Test("wait blocks until another thread settles the promise")
    func blocks() throws {
        let source = Source(Int.self)
        Thread.detachNewThread { source.seal.fulfill(1) }
        #expect(try source.promise.wait() == 1)
    }

    @Test("wait works inside a handler on another queue than the default")
    func onAnotherQueue() throws {
        let marked = MarkedQueue()
        let promise = Promise().map(on: marked.queue) { try Promise.value(1).map { $0 + 1 }.wait() }
        #expect(try promise.wait() == 2)
    }

    @Test("wait ends when the promise is canceled")
    func cancel() {
        let source = Source(Int.self)
        Thread.detachNewThread { source.promise.cancel() }
        #expect(throws: PromiseError.cancelled) { try source.promise.wait() }
    }

    @Test("wait with a timeout returns a value that arrives in time")
    func inTime() throws {
        #expect(try Promise.value(1).wait(timeout: 1e9) == 1)
        #expect(try Promise.value(1).map { $0 + 1 }.wait(timeout: 1e8) == 2)
    }

    @Test("wait with a timeout throws when the time is up, and does not cancel the promise")
    func timesOut() throws {
        let source = Source(Int.self)
        #expect(throws: PromiseError.timedOut(seconds: 0)) { try source.promise.wait(timeout: 0) }
        #expect(source.promise.isPending)
        source.seal.fulfill(1)
        #expect(try source.promise.wait() == 1)
    }

    @Test("wait with a timeout that is not a number throws, whether or not the promise has settled")
    func notANumber() {
        let error = PromiseError.badInput("wait cannot have a timeout that is not a number.")
        #expect(throws: error) { try Promise.value(1).wait(timeout: .nan) }
        #expect(throws: error) { try Source(Int.self).promise.wait(timeout: .nan) }
    }

    @Test("wait that has timed out no longer keeps the promise from being canceled")
    func timedOutIsNoDependent() {
        let source = Source(Int.self)
        #expect(throws: PromiseError.timedOut(seconds: 0)) { try source.promise.wait(timeout: 0) }
        source.promise.map { $0 + 1 }.cancel()
        #expect(source.stopCount == 1)
    }

    @Test("wait with a timeout inside a handler on the default queue times out, as anywhere")
    func timesOutInsideHandler() async {
        let source = Source(Int.self)
        let waiting = Promise.value(1).map { _ in try source.promise.wait(timeout: 0) }
        await #expect(throws: PromiseError.timedOut(seconds: 0)) { try await waiting.value }
    }

    @Test("wait inside a handler on the default queue returns immediately if the promise has settled")
    func settledInsideHandler() async throws {
        let (settled, failed) = (Promise.value(2), Promise<Int>(error: Fault.one))
        #expect(try await Promise.value(1).map { try $0 + settled.wait() }.value == 3)
        await #expect(throws: Fault.one) { try await Promise.value(1).map { _ in try failed.wait() }.value }
    }
}
