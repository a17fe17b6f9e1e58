import Dispatch
import Pledge
import PledgeTestSupport
import Testing

/// Lists each paragraph of Promises/A+ (https://promisesaplus.com) with the tests that check it. Some of these tests are in
/// this suite. Others check the paragraph for one operator, and are in the suite of that operator.
///
/// The `then` of the specification takes two functions; Pledge has a separate operator for each of them. The type checker
/// enforces what the specification says about arguments that are not functions (2.2.1), about `this` (2.2.5), and about
/// objects that happen to have a `then` method (2.3.3): only a type that conforms to `Thenable` can be followed.
@Suite("Promises/A+")
struct APlusTests {
    static let paragraphs: [(number: String, tests: [String])] = [
        ("2.1.1", ["PromiseTests.state", "PromiseStateTests.everyOrder"]),
        ("2.1.2", ["ResolverTests.calls", "EveryScheduleTests.programs"]),
        ("2.1.3", ["ResolverTests.calls", "EveryScheduleTests.programs"]),
        ("2.2.1", ["OutcomeTests.outcomes"]),
        ("2.2.2", ["OutcomeTests.outcomes", "APlusTests.later", "PromiseStateTests.everyOrder"]),
        ("2.2.3", ["OutcomeTests.outcomes", "APlusTests.later", "PromiseStateTests.everyOrder"]),
        ("2.2.4", ["APlusTests.later", "ModelTests.programs"]),
        ("2.2.5", ["OutcomeTests.outcomes"]),
        ("2.2.6", ["ModelTests.programs", "EveryScheduleTests.programs"]),
        ("2.2.7", ["OutcomeTests.outcomes", "ModelTests.programs"]),
        ("2.3.1", ["APlusTests.itself", "GuaranteeTests.itself"]),
        ("2.3.2", ["OutcomeTests.outcomes", "ModelTests.programs", "DepthTests.thenLoop"]),
        ("2.3.3", ["APlusTests.thenable", "WhenTests.computedPromise"]),
        ("2.3.4", ["APlusTests.plain", "MapTests.compactMapNil"]),
    ]

    @Test(
        "Each paragraph of Promises/A+ and each sentence about order has tests, and these tests exist",
        arguments: paragraphs + OrderTests.sentences)
    func exist(number: String, tests: [String]) {
        #expect(!tests.isEmpty)
        for test in tests { #expect(Repository.hasTest(test), "\(number): \(test)") }
    }

    @Test(
        "2.2.2–2.2.4: a handler runs once, after the call that adds it and the call that settles its promise have returned",
        arguments: 0..<5, [DispatchQueue.pledge, MarkedQueue().queue])
    func later(call: Int, queue: DispatchQueue) async {
        let events = Recorder<String>()
        // The calls are made in a handler on a serial queue. If a second handler runs before that handler has returned, the
        // second handler runs inside it, which would be wrong.
        let caller = Promise().done(on: queue) {
            let source = Source(Int.self)
            if call == 0 { source.seal.fulfill(1) }
            if call == 1 { source.seal.reject(Fault.one) }
            source.promise.done(on: queue) { _ in events.append("handler") }
                .catch(on: queue, policy: .allErrors) { _ in events.append("handler") }
            switch call {
            case 2: source.seal.fulfill(1)
            case 3: source.seal.reject(Fault.one)
            default: source.promise.cancel()
            }
            source.seal.fulfill(2)
            events.append("called")
        }
        _ = await caller.outcome()
        for _ in 0..<3 { _ = await Promise().done(on: queue) {}.outcome() }
        #expect(events.all == ["called", "handler"])
    }

    @Test(
        "2.3.1: if the closure of a `then` or `recover` returns that operator's own promise, the promise is rejected",
        arguments: [true, false])
    func itself(byThen: Bool) async {
        let source = Source(Int.self)
        let itself = Locked<Promise<Int>?>(nil)
        let promise =
            byThen
            ? source.promise.then { _ in try #require(itself.withLock { $0 }) }
            : source.promise.recover { _ in try #require(itself.withLock { $0 }) }
        itself.withLock { $0 = promise }
        if byThen { source.seal.fulfill(1) } else { source.seal.reject(Fault.one) }
        await #expect(throws: PromiseError.returnedSelf) { try await promise.value }
        #expect(
            "\(PromiseError.returnedSelf)"
                == "A promise cannot wait for itself: a then closure returned the promise that this then made.")
        itself.withLock { $0 = nil }
    }

    @Test(
        "2.3.3: a promise takes the outcome of a custom Thenable, and a custom Thenable has the operators of a promise")
    func thenable() async throws {
        struct Parcel: Thenable {
            let promise: Promise<Int>
            subscript(_promise _: Void) -> Promise<Int> { promise }
        }
        let source = Source(Int.self)
        let promise = Promise().then { Parcel(promise: source.promise) }
        await DefaultExecutor.drain()
        #expect(promise.isPending)
        source.seal.fulfill(1)
        #expect(try await promise.value == 1)
        let failed = Promise().then { Parcel(promise: Promise(error: Fault.one)) }
        await #expect(throws: Fault.one) { try await failed.value }
        #expect(try await Parcel(promise: .value(1)).map { $0 + 1 }.get { _ in }.value == 2)
        #expect(try await race(Parcel(promise: .value(1))).value == 1)
    }

    @Test(
        "2.3.4: `map` fulfills with the value of its closure, even if that value is nil, an error, or a promise"
    )
    func plain() async throws {
        #expect(try await Promise.value(1).map { _ in Int?.none }.value == nil)
        #expect(try await Promise.value(1).map { _ in Fault.one }.value == .one)
        let inner = Source(Int.self)
        let outer = try await Promise.value(1).map { _ in inner.promise }.value
        #expect(outer == inner.promise && outer.isPending)
    }
}
