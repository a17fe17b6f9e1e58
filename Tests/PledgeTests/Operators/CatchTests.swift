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

    private struct Own: CancellableError { let isCancelled: Bool }

    @Test("skips cancellation by default, also an error that declares itself one, and returns a fulfilled promise")
    func cancellation() async throws {
        let cancellations: [any Error] = [
            PromiseError.cancelled, CancellationError(), URLError(.cancelled), CocoaError(.userCancelled),
            Own(isCancelled: true),
        ]
        let others: [any Error] = [
            Fault.one, URLError(.timedOut), CocoaError(.fileNoSuchFile), PromiseError.returnedSelf,
            Own(isCancelled: false),
        ]
        for error in cancellations + others {
            try await Promise<Int>(error: error).catch { [caught] in caught.append($0) }.value
        }
        #expect(cancellations.allSatisfy(\.isCancelled) && caught.all.map { "\($0)" } == others.map { "\($0)" })
    }
}

@Suite("catch(only:)")
struct CatchOnlyTests {
    private let caught = Recorder<String>()

    @Test("receives errors of a type, as that type, or one error, leaves others to the next catch, and skips a value")
    func only() async throws {
        let caught = caught
        let (one, other) = (Promise<Int>(error: Fault.one), Promise<Int>(error: OtherFault()))
        try await one.catch(only: Fault.self) { caught.append($0.name) }.value
        try await one.catch(only: Fault.two) { Issue.record($0) }.catch(only: Fault.one) { caught.append("the \($0)") }
            .catch { Issue.record($0) }.value
        try await other.catch(only: Fault.self) { Issue.record($0) }.catch { caught.append("\(type(of: $0))") }.value
        try await Promise.value(1).catch(only: Fault.self) { Issue.record($0) }.value
        try await Promise.value(1).catch(only: Fault.one) { Issue.record($0) }.value
        #expect(caught.all == ["one", "the one", "OtherFault"])
    }

    @Test("receives cancellation only if its policy includes it, or if cancellation is the given value")
    func cancellation() async throws {
        let (caught, cancelled) = (caught, Promise<Int>(error: PromiseError.cancelled))
        let skipped = cancelled.catch(only: PromiseError.self) { Issue.record($0) }
        await #expect(throws: PromiseError.cancelled) { try await skipped.value }
        try await cancelled.catch(only: PromiseError.self, policy: .allErrors) { _ in caught.append("all") }.value
        try await cancelled.catch(only: PromiseError.cancelled) { _ in caught.append("one") }.value
        #expect(caught.all == ["all", "one"])
    }
}

@Suite("cauterize")
struct CauterizeTests {
    @Test("ends a chain with a fulfilled promise, and logs the error, if there is one")
    func logs() async throws {
        let fault = Fault("cauterized-\(#line)")
        let log = LogCapture.shared
        try await Promise<Int>(error: fault).cauterize().value
        #expect(log.lines(containing: fault.name) == ["A chain was cauterized after this error: \(fault)"])
        try await Promise.value("cauterized-\(#line)").cauterize().value
        #expect(log.lines(containing: "cauterized-\(#line - 1)").isEmpty)
    }
}
