import Pledge
import PledgeTestSupport
import Testing

@Suite("catch(only:)")
struct CatchOnlyTests {
    private let caught = Recorder<String>()

    @Test("with a type receives errors of that type, as that type, and leaves others to the next catch")
    func byType() async throws {
        try await Promise<Int>(error: Fault.one).catch(only: Fault.self) { [caught] in caught.append($0.name) }.value
        try await Promise<Int>(error: OtherFault())
            .catch(only: Fault.self) { Issue.record($0) }
            .catch { [caught] in caught.append("\(type(of: $0))") }.value
        #expect(caught.all == ["one", "OtherFault"])
    }

    @Test("with a value receives that error, and leaves others to the next catch")
    func byValue() async throws {
        try await Promise<Int>(error: Fault.two)
            .catch(only: Fault.one) { Issue.record($0) }
            .catch(only: Fault.two) { [caught] in caught.append($0.name) }
            .catch { Issue.record($0) }.value
        #expect(caught.all == ["two"])
    }

    @Test("does not run for a value, and is fulfilled")
    func fulfilled() async throws {
        try await Promise.value(1).catch(only: Fault.self) { Issue.record($0) }.value
        try await Promise.value(1).catch(only: Fault.one) { Issue.record($0) }.value
    }

    @Test("receives cancellation only if its policy includes it, or if cancellation is the given value")
    func cancellation() async throws {
        let cancelled = Promise<Int>(error: PromiseError.cancelled)
        let skipped = cancelled.catch(only: PromiseError.self) { Issue.record($0) }
        await #expect(throws: PromiseError.cancelled) { try await skipped.value }
        try await cancelled.catch(only: PromiseError.self, policy: .allErrors) { [caught] _ in
            caught.append("all")
        }.value
        try await cancelled.catch(only: PromiseError.cancelled) { [caught] _ in caught.append("one") }.value
        #expect(caught.all == ["all", "one"])
    }
}
