import Pledge
import PledgeTestSupport
import Testing

@Suite("recover")
struct RecoverTests {
    @Test("continues with the promise that its closure returns")
    func promise() async throws {
        #expect(try await Promise<Int>(error: Fault.one).recover { _ in Promise.value(2) }.value == 2)
    }

    @Test("passes a value on without calling its closure")
    func valuePasses() async throws {
        let promise = Promise.value(1).recover { error -> Promise<Int> in
            Issue.record(error)
            throw error
        }
        #expect(try await promise.value == 1)
    }

    @Test("rejects with the error that its closure throws, or with its promise's error")
    func failsAgain() async {
        let failed = Promise<Int>(error: Fault.one)
        await #expect(throws: Fault.two) { try await failed.recover { _ -> Promise<Int> in throw Fault.two }.value }
        await #expect(throws: Fault.two) { try await failed.recover { _ in Promise<Int>(error: Fault.two) }.value }
    }

    @Test("receives cancellation only if its policy includes it, which is not the default")
    func policy() async throws {
        let cancelled = Promise<Int>(error: PromiseError.cancelled)
        #expect(try await cancelled.recover(policy: .allErrors) { _ in Promise.value(1) }.value == 1)
        let skipped = cancelled.recover { _ in Promise.value(1) }
        await #expect(throws: PromiseError.cancelled) { try await skipped.value }
    }

    @Test("with a guarantee returns a guarantee, which waits for that one")
    func guarantee() async {
        let (inner, resolve) = Guarantee<Int>.pending()
        let recovered: Guarantee<Int> = Promise<Int>(error: Fault.one).recover { _ in inner }
        await DefaultExecutor.drain()
        #expect(recovered.isPending)
        resolve(3)
        #expect(await recovered.value == 3)
        let passing: Guarantee<Int> = Promise.value(1).recover { _ in Guarantee.value(2) }
        #expect(await passing.value == 1)
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

@Suite("mapError")
struct MapErrorTests {
    @Test("transforms the error, and passes a value on")
    func error() async throws {
        let failed = Promise<Int>(error: Fault.one).mapError { _ in Fault.two }
        await #expect(throws: Fault.two) { try await failed.value }
        #expect(try await Promise.value(1).mapError { _ in Fault.two }.value == 1)
    }
}
