import Foundation
import Pledge
import PledgeTestSupport
import Testing

@Suite("catch and cauterize")
struct CatchTests {
    private struct Own: CancellableError { let isCancelled: Bool }
    private struct Stopped: CancellableError {}

    @Test(
        "By default, `catch` skips cancellation errors, including custom errors that declare themselves cancellations")
    func cancellation() async throws {
        let caught = Recorder<any Error>()
        let cancellations: [any Error] = [
            PromiseError.cancelled, CancellationError(), URLError(.cancelled), CocoaError(.userCancelled),
            Own(isCancelled: true), Stopped(),
        ]
        let others: [any Error] = [
            Fault.one, URLError(.timedOut), CocoaError(.fileNoSuchFile), PromiseError.returnedSelf,
            Own(isCancelled: false),
        ]
        for error in cancellations + others { try await Promise<Int>(error: error).catch { caught.append($0) }.value }
        #expect(cancellations.allSatisfy(\.isCancelled) && caught.all.map { "\($0)" } == others.map { "\($0)" })
    }

    @Test("`cauterize` returns a fulfilled promise, and logs the error if the chain failed")
    func logs() async throws {
        let (fault, log) = (Fault("cauterized-\(#line)"), LogCapture.shared)
        try await Promise<Int>(error: fault).cauterize().value
        #expect(log.lines(containing: fault.name) == ["A chain was cauterized after this error: \(fault)"])
        try await Promise.value("cauterized-\(#line)").cauterize().value
        #expect(log.lines(containing: "cauterized-\(#line - 1)").isEmpty)
    }
}
