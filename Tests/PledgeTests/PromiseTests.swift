import Pledge
import PledgeTestSupport
import Testing

@Suite("A promise")
struct PromiseTests {
    @Test("A promise runs its closure at once, and is rejected if the closure throws before it fulfills the promise")
    func body() {
        var hasRun = false
        let promise = Promise<Int> { seal in
            hasRun = true
            seal.fulfill(1)
            throw Fault.one
        }
        #expect(hasRun && promise.isFulfilled)
        #expect(Promise<Int> { _ in throw Fault.one }.error as? Fault == .one)
    }

    @Test("A promise reports its state, its result, and its error")
    func state() {
        let source = Source(Int.self)
        let rows: [(Promise<Int>, states: [Bool], result: String?)] = [
            (source.promise, [true, false, false, false], nil),
            (.value(1), [false, true, true, false], "success(1)"),
            (Promise(error: Fault.one), [false, true, false, true], "failure(one)"),
        ]
        for (promise, states, result) in rows {
            #expect([promise.isPending, promise.isResolved, promise.isFulfilled, promise.isRejected] == states)
            #expect(promise.result.map { "\($0)" } == result)
            #expect(promise.error as? Fault == (promise.isRejected ? .one : nil))
        }
    }

    @Test("A promise equals its copies, but no other promise")
    func identity() {
        let (one, other) = (Promise.value(1), Promise.value(1))
        let copy = one
        #expect(copy == one && one != other)
        #expect(Set([one, other, copy]).count == 2)
    }

    @Test("Reading a promise's state or printing the promise doesn't handle its error; reading the error does")
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
}
