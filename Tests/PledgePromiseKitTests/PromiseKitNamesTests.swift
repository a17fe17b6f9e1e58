import Foundation
@_spi(PromiseKit) import PledgePromiseKit
import PledgeTestSupport
import Testing

@Suite("PromiseKit's names")
struct PromiseKitNamesTests {
    private struct User: Sendable {
        let name: String
        var nickname: String?
        var isAdmin = false
    }

    private let users = Promise.value([User(name: "b", nickname: "bee", isAdmin: true), User(name: "a")])

    @Test("PromiseKit's operators for lists and values exist, also with key paths")
    func sequences() throws {
        #expect(try hang(users.mapValues(\.name)) == ["b", "a"])
        #expect(try hang(users.compactMapValues(\.nickname)) == ["bee"])
        #expect(try hang(users.filterValues(\.isAdmin).map(\.count)) == 1)
        #expect(try hang(users.firstValue.map(\.name)) == "b")
        #expect(try hang(users.lastValue.map(\.name)) == "a")
        #expect(try hang(users.mapValues(\.name).sortedValues()) == ["a", "b"])
        #expect(try hang(users.firstValue.compactMap(\.nickname)) == "bee")
        try hang(users.asVoid())
    }

    @Test("PromiseKit's names for combinators, delays, and waits exist")
    func combinators() throws {
        let (one, failed) = (Promise.value(1), Promise<Int>(error: OtherFault()))
        #expect(try hang(firstly { one }) == 1)
        firstly { after(seconds: 0) }.wait()
        after(.milliseconds(0)).wait()
        #expect(try hang(race(one, Promise.pending().promise)) == 1)
        #expect(when(resolved: one, failed).wait().map { $0.isFulfilled } == [true, false])
        let inTurn = when(resolved: [failed, one].makeIterator(), concurrently: 1)
        #expect(inTurn.wait().map { $0.isFulfilled } == [false, true])
        try hang(when(fulfilled: [Promise(), Promise<Void>.value]))
    }

    @Test("PromiseKit's errors exist, and have PromiseKit's descriptions")
    func errors() {
        let all: [PMKError] = [
            .cancelled, .returnedSelf, .emptySequence, .noWinner, .badInput, .invalidCallingConvention,
            .compactMap("secret", Int.self),
        ]
        #expect(all.filter(\.isCancelled).count == 1)
        #expect(all.allSatisfy { $0.debugDescription == $0.errorDescription && "\($0)" == $0.debugDescription })
        // The sentences are PromiseKit's own, because programs may compare them. There is one difference: the sentence of
        // compactMap leaves out the value.
        #expect(
            all.map(\.debugDescription) == [
                "The asynchronous sequence was cancelled", "A promise handler returned itself",
                "The first or last element was requested for an empty sequence",
                "All thenables passed to race(fulfilled:) were rejected",
                "Bad input was provided to a PromiseKit function",
                "A closure was called with an invalid calling convention, probably (nil, nil)",
                "Could not `compactMap<Int>`",
            ])
        do {
            _ = try hang(Promise.value("x").compactMap { Int($0) })
            Issue.record("compactMap found something")
        } catch PMKError.compactMap(let value, let type) {
            #expect(value as? String == "x" && type == Int.self)
        } catch {
            Issue.record(error)
        }
        let cancellable: any CancellableError = PMKError.cancelled
        #expect(cancellable.isCancelled)
        let policies: [CatchPolicy] = [.allErrors, .allErrorsExceptCancellation]
        #expect(policies.count == 2)
    }

    @Test("PromiseKit's names for types exist")
    func types() throws {
        let finalizer: PMKFinalizer = Promise.value(1).catch { Issue.record($0) }
        finalizer.finally {}
        let cascading: PMKCascadingFinalizer = Promise.value(1).catch(only: PMKError.self) { Issue.record($0) }
        cascading.cauterize()
        func bridge<Bridge: Thenable>(_ bridge: Bridge) -> Promise<Bridge.T> { Promise(bridge) }
        #expect(try hang(bridge(Guarantee.value(1))) == 1)
        let seal: Resolver<Int> = Promise<Int>.pending().resolver
        seal.fulfill(1)
        let word: PMKNamespacer = .promise
        #expect(word == .promise)
        func isMixin<Mixin: CatchMixin>(_ mixin: Mixin) -> Bool { true }
        #expect(isMixin(Promise.value(1)))
    }

    @Test("PromiseKit's names for guarantees exist")
    func guarantees() async {
        let (number, text) = (Guarantee.value(1), Guarantee.value("two"))
        let isBoth = when(guarantees: number, text).map { $0 == 1 && $1 == "two" }
        #expect(await isBoth.async())
        let three = when(guarantees: number, text, number).map { $0 + $1.count + $2 }
        let five = when(guarantees: number, number, number, number, text).map { $0 + $1 + $2 + $3 + $4.count }
        let four = when(guarantees: number, number, number, text).map { $0 + $1 + $2 + $3.count }
        #expect(await when(guarantees: [three, four, five]).async() == [5, 6, 7])
        #expect(number.result.map { $0.isFulfilled } == true)
        #expect(await Guarantee.value([1, 3, 2]).sortedValues { $0 > $1 }.async() == [3, 2, 1])
    }

    @Test("`when` of unlabeled guarantees returns a list of their values, or no value for guarantees of Void")
    func unlabeled() async {
        // The types are left out, because this test checks whether the compiler infers the right ones.
        let number = Guarantee.value(1)
        let list = when(number, number)
        let nothing = when(Guarantee(), Guarantee())
        #expect(await list.async() == [1, 1])
        #expect(type(of: nothing) == Guarantee<Void>.self)
        #expect(type(of: when(number, number, number)) == Guarantee<[Int]>.self)
    }

    @Test("The descriptions of promises are those of PromiseKit")
    func descriptions() {
        enum Fault: Error { case broken }
        let (pending, seal) = Promise<Int>.pending()
        #expect("\(pending)" == "Promise(…Int)" && pending.description == "\(pending)")
        #expect(pending.debugDescription == "Promise<Int>.pending(handlers: 0)")
        let (one, two) = (pending.map { $0 }, pending.map { $0 })
        #expect(pending.debugDescription == "Promise<Int>.pending(handlers: 2)")
        seal.fulfill(3)
        #expect("\(pending)" == "Promise(3)" && pending.debugDescription == "Promise<Int>.fulfilled(3)")
        #expect(one.isResolved || two.isPending || two.isResolved)
        let failed = Promise<Void>(error: Fault.broken)
        #expect("\(failed)" == "Promise(broken)" && failed.debugDescription == "Promise<()>.rejected(Fault.broken)")
        failed.catch { _ in }
        // The resolver is released at once. In PromiseKit, this promise stays pending. Here, it rejects, but prints as pending.
        let dropped = Promise<Int>.pending().promise
        #expect("\(dropped)" == "Promise(…Int)" && dropped.debugDescription == "Promise<Int>.pending(handlers: 0)")
        #expect(dropped.isRejected)
    }

    @Test("PromiseKit's names for resolvers exist")
    func resolvers() throws {
        try hang(Promise<Void> { $0.fulfill_() })
        #expect(try hang(Promise { $0.resolve(Result.fulfilled(1)) }) == 1)
        #expect(throws: OtherFault.self) { try hang(Promise<Int> { $0.resolve(.rejected(OtherFault())) }) }
    }

    @Test("In a handler on the main queue, `hang` throws an error that names the place of the call")
    func hangInHandler() async {
        let (pending, seal) = Promise<Int>.pending()
        let (line, waiting) = (UInt(#line), after(seconds: 0).map { try hang(pending) })
        await #expect(throws: PromiseError.deadlock(file: #fileID, line: line)) { try await waiting.async() }
        seal.fulfill(1)
    }

    @Test("In a handler on the main queue, a guarantee's `wait` logs a possible deadlock, because it can't throw")
    func guaranteeInHandler() async {
        _ = LogCapture.shared
        let (pending, fulfill) = Guarantee<Int>.pending()
        let (line, waiting) = (UInt(#line), after(seconds: 0).map { pending.wait() })
        Thread.detachNewThread {
            while pending._handlerCount == 0 { sched_yield() }
            fulfill(1)
        }
        #expect(await waiting.async() == 1)
        #expect(LogCapture.shared.lines(containing: "The wait() at \(#fileID):\(line) might never return").count == 1)
    }
}
