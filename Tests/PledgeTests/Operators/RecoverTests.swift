import Pledge
import PledgeTestSupport
import Testing

@Suite("recover and mapError")
struct RecoverTests {
    private let failed = Promise<Int>(error: Fault.one)

    @Test("continues with the promise that its closure returns, or rejects with what that throws")
    func continues() async throws {
        #expect(try await failed.recover { _ in Promise.value(2) }.value == 2)
        await #expect(throws: Fault.two) { try await failed.recover { _ -> Promise<Int> in throw Fault.two }.value }
        await #expect(throws: Fault.two) { try await failed.recover { _ in Promise<Int>(error: Fault.two) }.value }
        await #expect(throws: Fault.two) { try await failed.mapError { _ in Fault.two }.value }
    }

    @Test("and mapError pass a value on without calling their closure")
    func valuePasses() async throws {
        let promise = Promise.value(1).recover { error -> Promise<Int> in throw error }.mapError { error in
            Issue.record(error)
            return error
        }
        #expect(try await promise.value == 1)
    }

    @Test("receives cancellation only if its policy includes it, which is not the default")
    func policy() async throws {
        let cancelled = Promise<Int>(error: PromiseError.cancelled)
        #expect(try await cancelled.recover(policy: .allErrors) { _ in Promise.value(1) }.value == 1)
        let skipped = cancelled.recover { _ in Promise.value(1) }
        await #expect(throws: PromiseError.cancelled) { try await skipped.value }
    }

    @Test("of a promise without a value needs no result from its closure, which may throw")
    func void() async throws {
        let errors = Recorder<Fault?>()
        let certain: Guarantee<Void> = Promise<Void>(error: Fault.one).recover { errors.append($0 as? Fault) }
        await certain.value
        #expect(errors.all == [.one])
        let promise: Promise<Void> = Promise<Void>(error: Fault.one).recover { _ in throw Fault.two }
        await #expect(throws: Fault.two) { try await promise.value }
    }
}

@Suite("recover(only:)")
struct RecoverOnlyTests {
    private let one = Promise<Int>(error: Fault.one)
    private let other = Promise<Int>(error: OtherFault())

    /// No test handles the errors of both promises, so the log entries about the other are captured.
    init() {
        _ = LogCapture.shared
    }

    @Test("recovers errors of a type, or one error, passes others on, and rejects with what its closure throws")
    func only() async throws {
        #expect(try await one.recover(only: Fault.self) { Promise.value($0.name.count) }.value == 3)
        #expect(try await one.recover(only: Fault.one) { _ in Promise.value(1) }.value == 1)
        let (passing, unwanted, failing) = (
            other.recover(only: Fault.self) { Promise.value($0.name.count) },
            one.recover(only: Fault.two) { _ in Promise.value(1) },
            one.recover(only: Fault.self) { _ -> Promise<Int> in throw Fault.two }
        )
        await #expect(throws: OtherFault()) { try await passing.value }
        await #expect(throws: Fault.one) { try await unwanted.value }
        await #expect(throws: Fault.two) { try await failing.value }
    }

    @Test("needs no result from its closure if the promise has no value")
    func void() async throws {
        let (names, nothing) = (Recorder<String>(), one.asVoid())
        try await nothing.recover(only: Fault.self) { names.append($0.name) }.value
        try await nothing.recover(only: Fault.one) { names.append($0.name) }.value
        #expect(names.all == ["one", "one"])
        let (passing, unwanted, failing) = (
            other.asVoid().recover(only: Fault.self) { Issue.record($0) },
            nothing.recover(only: Fault.two) { Issue.record($0) },
            nothing.recover(only: Fault.one) { _ in throw Fault.two }
        )
        await #expect(throws: OtherFault()) { try await passing.value }
        await #expect(throws: Fault.one) { try await unwanted.value }
        await #expect(throws: Fault.two) { try await failing.value }
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
