import Pledge
import PledgeTestSupport
import Testing

@Suite("recover(only:)")
struct RecoverOnlyTests {
    private let one = Promise<Int>(error: Fault.one)
    private let other = Promise<Int>(error: OtherFault())

    /// No test looks at both promises; what the log is told about the other one is captured.
    init() {
        _ = LogCapture.shared
    }

    @Test("with a type recovers errors of that type")
    func byType() async throws {
        #expect(try await one.recover(only: Fault.self) { Promise.value($0.name.count) }.value == 3)
    }

    @Test("with a type lets other errors pass")
    func otherType() async {
        let promise = other.recover(only: Fault.self) { error -> Promise<Int> in
            Issue.record(error)
            return .value(0)
        }
        await #expect(throws: OtherFault()) { try await promise.value }
    }

    @Test("with a value recovers that error")
    func byValue() async throws {
        #expect(try await one.recover(only: Fault.one) { _ in Promise.value(1) }.value == 1)
    }

    @Test("with a value lets other errors pass")
    func otherValue() async {
        let promise = one.recover(only: Fault.two) { error -> Promise<Int> in
            Issue.record(error)
            return .value(0)
        }
        await #expect(throws: Fault.one) { try await promise.value }
    }

    @Test("with a type of a promise without a value only needs a closure")
    func voidByType() async throws {
        let names = Recorder<String>()
        try await one.asVoid().recover(only: Fault.self) { names.append($0.name) }.value
        #expect(names.all == ["one"])
        let passing = other.asVoid().recover(only: Fault.self) { Issue.record($0) }
        await #expect(throws: OtherFault()) { try await passing.value }
    }

    @Test("with a value of a promise without a value only needs a closure")
    func voidByValue() async throws {
        let names = Recorder<String>()
        try await one.asVoid().recover(only: Fault.one) { names.append($0.name) }.value
        #expect(names.all == ["one"])
        let passing = one.asVoid().recover(only: Fault.two) { Issue.record($0) }
        await #expect(throws: Fault.one) { try await passing.value }
    }

    @Test("rejects with what its closure throws")
    func throwing() async {
        let promise = one.recover(only: Fault.self) { _ -> Promise<Int> in throw Fault.two }
        await #expect(throws: Fault.two) { try await promise.value }
        let void = one.asVoid().recover(only: Fault.one) { _ in throw Fault.two }
        await #expect(throws: Fault.two) { try await void.value }
    }

    @Test("leaves cancellation alone unless its policy says otherwise, or it is the error that was named")
    func policy() async throws {
        let cancelled = Promise<Int>(error: PromiseError.cancelled)
        let skipped = cancelled.recover(only: PromiseError.self) { _ in Promise.value(1) }
        await #expect(throws: PromiseError.cancelled) { try await skipped.value }
        let caught = cancelled.recover(only: PromiseError.self, policy: .allErrors) { _ in Promise.value(1) }
        #expect(try await caught.value == 1)
        #expect(try await cancelled.recover(only: PromiseError.cancelled) { _ in Promise.value(2) }.value == 2)
    }
}
