import Pledge
import PledgeTestSupport
import Testing

@Suite("recover(only:)")
struct RecoverOnlyTests {
    private let one = Promise<Int>(error: Fault.one)
    private let other = Promise<Int>(error: OtherFault())

    /// No test handles the errors of both promises, so the log entries about the other are captured.
    init() {
        _ = LogCapture.shared
    }

    @Test("with a type recovers errors of that type, and passes others on")
    func byType() async throws {
        #expect(try await one.recover(only: Fault.self) { Promise.value($0.name.count) }.value == 3)
        let passing = other.recover(only: Fault.self) { Promise.value($0.name.count) }
        await #expect(throws: OtherFault()) { try await passing.value }
    }

    @Test("with a value recovers that error, and passes others on")
    func byValue() async throws {
        #expect(try await one.recover(only: Fault.one) { _ in Promise.value(1) }.value == 1)
        let passing = one.recover(only: Fault.two) { _ in Promise.value(1) }
        await #expect(throws: Fault.one) { try await passing.value }
    }

    @Test("needs no result from its closure if the promise has no value")
    func void() async throws {
        let names = Recorder<String>()
        try await one.asVoid().recover(only: Fault.self) { names.append($0.name) }.value
        try await one.asVoid().recover(only: Fault.one) { names.append($0.name) }.value
        #expect(names.all == ["one", "one"])
        let passing = other.asVoid().recover(only: Fault.self) { Issue.record($0) }
        await #expect(throws: OtherFault()) { try await passing.value }
        let unwanted = one.asVoid().recover(only: Fault.two) { Issue.record($0) }
        await #expect(throws: Fault.one) { try await unwanted.value }
    }

    @Test("rejects with the error that its closure throws")
    func throwing() async {
        let promise = one.recover(only: Fault.self) { _ -> Promise<Int> in throw Fault.two }
        await #expect(throws: Fault.two) { try await promise.value }
        let void = one.asVoid().recover(only: Fault.one) { _ in throw Fault.two }
        await #expect(throws: Fault.two) { try await void.value }
    }

    @Test("receives cancellation only if its policy includes it, or if cancellation is the given value")
    func policy() async throws {
        let cancelled = Promise<Int>(error: PromiseError.cancelled)
        let skipped = cancelled.recover(only: PromiseError.self) { _ in Promise.value(1) }
        await #expect(throws: PromiseError.cancelled) { try await skipped.value }
        let caught = cancelled.recover(only: PromiseError.self, policy: .allErrors) { _ in Promise.value(1) }
        #expect(try await caught.value == 1)
        #expect(try await cancelled.recover(only: PromiseError.cancelled) { _ in Promise.value(2) }.value == 2)
    }
}
