import Foundation
@testable import Pledge
import PledgeTestSupport
import Testing

@Suite("A wait that times out while the promise settles")
struct WaitGivesUpTests {
    @Test("either throws the promise's error or leaves it to be logged as unhandled")
    func error() throws {
        _ = LogCapture.shared
        let fault = Fault("given-up-\(#line)")
        let thrown = try #require(giveUp(fault))
        #expect((thrown as? Fault == fault) != (LogCapture.shared.unhandled(fault).count == 1))
    }

    /// The rejection occurs in time, but the waiting thread learns of it only after the inline handler that rejects.
    private func giveUp(_ fault: Fault) -> (any Error)? {
        let (promise, seal) = Promise<Int>.pending()
        let (isOver, rejecting) = (DispatchSemaphore(value: 0), DispatchQueue(label: "rejects"))
        rejecting.async {
            _ = Promise().map(on: nil) {
                while promise.handlerCount == 0, isOver.wait(timeout: .now()) == .timedOut { sched_yield() }
                seal.reject(fault)
                isOver.wait()
            }
        }
        defer {
            isOver.signal()
            isOver.signal()
            rejecting.sync {}
        }
        // In real time, because it blocks its thread.
        do { _ = try promise.wait(timeout: 0.02) } catch { return error }
        return nil
    }
}
