import Dispatch
import Foundation
import PledgeTestSupport
import Testing

@testable import Pledge

@Suite("wait")
struct WaitTests {
    @Test("`wait` returns the value or throws the error, with or without a time limit")
    func outcome() throws {
        #expect(try Promise.value(1).map { $0 + 1 }.wait() == 2)
        #expect(try Guarantee.value(1).wait() == 1)
        #expect(throws: Fault.one) { try Promise<Int>(error: Fault.one).map { $0 + 1 }.wait() }
        #expect(try Promise.value(1).wait(timeout: 1e9) == 1)
        #expect(try Promise.value(1).map { $0 + 1 }.wait(timeout: 1e8) == 2)
    }

    @Test("`wait` on the main thread keeps serving the main queue until the promise has settled or the time is up")
    func onMainThread() {
        let settled = DispatchSemaphore(value: 0)
        #expect(!serveMain(until: settled, .now() + 0.01))
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.02) { settled.signal() }
        #expect(serveMain(until: settled, .distantFuture))
    }

    @Test("`wait` on the main thread sleeps no longer than its time limit, even if nothing happens there")
    func idleMainThread() async {
        let isInTime = await withCheckedContinuation { continuation in
            // Uses a thread whose run loop has a single timer, which fires after 11 days. If the wait set no limit, the run loop
            // would sleep until then.
            Thread.detachNewThread {
                let timer = Timer(timeInterval: 1e6, repeats: false) { _ in }
                RunLoop.current.add(timer, forMode: .default)
                let isInTime = serveMain(until: DispatchSemaphore(value: 0), .now() + 0.01)
                timer.invalidate()
                continuation.resume(returning: isInTime)
            }
        }
        #expect(!isInTime)
    }

    @Test("`wait` inside nested inline closures first runs the handlers that an outer closure made due")
    func nested() {
        let (own, seal) = Promise<Int>.pending()
        let doubled = own.map(on: nil) { $0 * 2 }
        let outer = Promise().map(on: nil) {
            seal.fulfill(1)
            return try Promise().map(on: nil) { try doubled.wait() }.wait()
        }
        #expect(outer.result.map { "\($0)" } == "success(2)")
    }

    @Test("`wait` with a timeout throws when the time is up; the promise stays pending and can still be canceled")
    func timesOut() throws {
        let source = Source(Int.self)
        #expect(throws: PromiseError.timedOut(seconds: 0)) { try source.promise.wait(timeout: 0) }
        #expect(source.promise.isPending)
        source.promise.map { $0 + 1 }.cancel()
        #expect(source.stopCount == 1)
    }

    @Test("`wait` with a timeout that is not a number throws, whether or not the promise has settled")
    func notANumber() {
        let error = PromiseError.badInput("The timeout of wait is not a number.")
        #expect(throws: error) { try Promise.value(1).wait(timeout: .nan) }
        #expect(throws: error) { try Source(Int.self).promise.wait(timeout: .nan) }
    }
}
