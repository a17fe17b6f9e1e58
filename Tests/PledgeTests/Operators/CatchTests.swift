import Foundation
import Pledge
import PledgeTestSupport
import Testing

@Suite("catch")
struct CatchTests {
    private let caught = Recorder<any Error>()

    @Test("receives an error from anywhere up the chain, once, and returns a fulfilled promise")
    func catches() async throws {
        let promise = Promise<Int>(error: Fault.one).map { $0 + 1 }.then { Promise.value($0) }.asVoid()
        try await promise.catch { [caught] in caught.append($0) }.catch { Issue.record($0) }.value
        #expect(caught.all.map { $0 as? Fault } == [.one])
    }

    @Test(
        "skips cancellation by default, and returns a fulfilled promise",
        arguments: [
            PromiseError.cancelled, CancellationError(), URLError(.cancelled), CocoaError(.userCancelled),
        ] as [any Error])
    func skipsCancellation(error: any Error) async throws {
        #expect(error.isCancelled)
        try await Promise<Int>(error: error).catch { Issue.record($0) }.value
    }

    @Test("does not mistake other errors for cancellation")
    func notCancellation() {
        #expect(!Fault.one.isCancelled)
        #expect(!URLError(.timedOut).isCancelled)
        #expect(!CocoaError(.fileNoSuchFile).isCancelled)
        #expect(!PromiseError.returnedSelf.isCancelled)
    }

    @Test("skips an error that declares itself a cancellation", arguments: [true, false])
    func ownCancellableError(isCancelled: Bool) async throws {
        struct Own: CancellableError { let isCancelled: Bool }
        try await Promise<Int>(error: Own(isCancelled: isCancelled)).catch { [caught] in caught.append($0) }.value
        #expect(caught.count == (isCancelled ? 0 : 1))
    }
}

@Suite("cauterize")
struct CauterizeTests {
    @Test("ends a chain with a fulfilled promise and logs the error")
    func logs() async throws {
        let fault = Fault("cauterized-\(#line)")
        let log = LogCapture.shared
        try await Promise<Int>(error: fault).cauterize().value
        #expect(log.lines(containing: fault.name) == ["A chain was cauterized after this error: \(fault)"])
    }

    @Test("logs nothing for a value")
    func silent() async throws {
        try await Promise.value("cauterized-\(#line)").cauterize().value
        #expect(LogCapture.shared.lines(containing: "cauterized-\(#line - 1)").isEmpty)
    }
}
