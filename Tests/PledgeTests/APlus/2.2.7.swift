import Pledge
import PledgeTestSupport
import Testing

@Suite("A+ 2.2.7: what a handler makes of the promise it returns")
struct APlus227 {
    @Test("2.2.7.1: a value handler's value fulfils it")
    func valueFromValue() async throws {
        #expect(try await Promise.value(1).map { "\($0)" }.value == "1")
    }

    @Test("2.2.7.1: a value handler's promise decides it")
    func promiseFromValue() async throws {
        #expect(try await Promise.value(1).then { Promise.value("\($0)") }.value == "1")
    }

    @Test("2.2.7.1: an error handler's value fulfils it")
    func valueFromError() async throws {
        let recovered = Promise<Int>(error: Fault.one).recover { _ in Promise.value(2) }
        #expect(try await recovered.value == 2)
    }

    @Test("2.2.7.2: a value handler that throws rejects it")
    func throwFromValue() async {
        let promise = Promise.value(1).map { _ -> Int in throw Fault.one }
        await #expect(throws: Fault.one) { try await promise.value }
    }

    @Test("2.2.7.2: an error handler that throws rejects it, with the new error")
    func throwFromError() async {
        let promise = Promise<Int>(error: Fault.one).recover { _ -> Promise<Int> in throw Fault.two }
        await #expect(throws: Fault.two) { try await promise.value }
    }

    @Test("2.2.7.3: without a value handler it gets the same value")
    func valuePasses() async throws {
        let promise = Promise.value(1).recover { error -> Promise<Int> in
            Issue.record(error)
            throw error
        }
        #expect(try await promise.value == 1)
    }

    @Test("2.2.7.4: without an error handler it gets the same error")
    func errorPasses() async {
        let promise = Promise<Int>(error: Fault.one)
            .map { $0 + 1 }
            .then { Promise.value($0) }
            .get { Issue.record("got \($0)") }
            .done { Issue.record("got \($0)") }
        await #expect(throws: Fault.one) { try await promise.value }
    }
}
