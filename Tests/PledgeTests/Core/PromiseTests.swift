import Pledge
import PledgeTestSupport
import Testing

@Suite("A promise")
struct PromiseTests {
    @Test("runs the closure with which it is created immediately")
    func runsAtOnce() {
        var hasRun = false
        let promise = Promise<Int> { seal in
            hasRun = true
            seal.fulfill(1)
        }
        #expect(hasRun)
        #expect(promise.isFulfilled)
    }

    @Test("equals its copies, and no other promise")
    func identity() {
        let (one, other) = (Promise.value(1), Promise.value(1))
        let copy = one
        #expect(copy == one && one != other)
        #expect(Set([one, other, copy]).count == 2)
    }

    @Test("is rejected if that closure throws")
    func throwingBody() async {
        let promise = Promise<Int> { _ in throw Fault.one }
        await #expect(throws: Fault.one) { try await promise.value }
    }

    @Test("keeps the value that its closure set before throwing")
    func fulfillThenThrow() async throws {
        let promise = Promise<Int> { seal in
            seal.fulfill(1)
            throw Fault.one
        }
        #expect(try await promise.value == 1)
    }

    @Test("reports its state while pending")
    func pendingState() {
        let source = Source(Int.self)
        #expect(source.promise.isPending)
        #expect(!source.promise.isResolved && !source.promise.isFulfilled && !source.promise.isRejected)
        #expect(source.promise.result == nil)
        #expect(source.promise.error == nil)
    }

    @Test("reports its state once fulfilled")
    func fulfilledState() throws {
        let promise = Promise.value(1)
        #expect(promise.isResolved && promise.isFulfilled)
        #expect(!promise.isPending && !promise.isRejected)
        #expect(try promise.result?.get() == 1)
        #expect(promise.error == nil)
    }

    @Test("reports its state once rejected")
    func rejectedState() {
        let promise = Promise<Int>(error: Fault.one)
        #expect(promise.isResolved && promise.isRejected)
        #expect(!promise.isPending && !promise.isFulfilled)
        #expect(throws: Fault.one) { try promise.result?.get() }
        #expect(promise.error as? Fault == .one)
    }

    @Test("is still reported as unhandled after it was asked for its state, or printed")
    func asking() {
        _ = LogCapture.shared
        let (asked, read) = (Fault("asked-\(#line)"), Fault("read-\(#line)"))
        do {
            let promise = Promise<Int>(error: asked)
            #expect(promise.isRejected && !promise.isFulfilled && promise.isResolved && !promise.isPending)
            _ = (promise.description, promise.debugDescription)
            let other = Promise<Int>(error: read)
            #expect(other.error as? Fault == read)
        }
        #expect(LogCapture.shared.unhandled(asked).count == 1)
        #expect(LogCapture.shared.unhandled(read).isEmpty)
    }

    @Test("can be created from a guarantee or another promise")
    func bridge() async throws {
        #expect(try await Promise(Guarantee.value(1)).value == 1)
        let source = Source(Int.self)
        let bridged = Promise(source.promise)
        #expect(bridged.isPending)
        source.seal.fulfill(2)
        #expect(try await bridged.value == 2)
        await #expect(throws: Fault.one) { try await Promise(Promise<Int>(error: Fault.one)).value }
    }

    @Test("may have a value that is nil")
    func optional() async throws {
        #expect(try await Promise<Int?>.value(nil).value == nil)
        #expect(try Promise<Int?>.value(nil).result?.get() == nil)
    }

    @Test("passes its outcome to pipe, once")
    func pipe() async {
        let outcomes = Recorder<Int?>()
        Promise.value(1).pipe { outcomes.append(try? $0.get()) }
        Promise<Int>(error: Fault.one).pipe { outcomes.append(try? $0.get()) }
        await DefaultExecutor.drain()
        #expect(outcomes.all == [1, nil])
    }
}
