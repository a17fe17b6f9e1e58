import Dispatch
import Pledge
import PledgeTestSupport
import Testing

/// What a handler captured, the promise it returned, and the promise for which it waited are deallocated once nothing
/// more can happen: for every operator, and for every way it can end.
@Suite("Released after the end:")
struct OperatorMemoryTests {
    struct Verb: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let make: @Sendable (Promise<Int>, Canary) -> any Thenable

        init(_ name: String, _ make: @escaping @Sendable (Promise<Int>, Canary) -> any Thenable) {
            testDescription = name
            self.make = make
        }
    }

    enum Ending: CaseIterable {
        case fulfilled, rejected, cancelledAbove, cancelledBelow, dropped
    }

    static let verbs = [
        Verb("map") { promise, canary in promise.map { _ in canary.sing() } },
        Verb("map, throwing") { promise, canary in promise.map { _ in throw canary.sing(Fault.two) } },
        Verb("map on a queue") { promise, canary in
            promise.map(on: DispatchQueue(label: "memory")) { _ in canary.sing() }
        },
        Verb("compactMap") { promise, canary in promise.compactMap { _ in canary.sing(Int?.none) } },
        Verb("then") { promise, canary in promise.then { Promise.value(canary.sing($0)) } },
        Verb("done") { promise, canary in promise.done { _ in canary.sing() } },
        Verb("get") { promise, canary in promise.get { _ in canary.sing() } },
        Verb("tap") { promise, canary in promise.tap { _ in canary.sing() } },
        Verb("catch") { promise, canary in promise.catch { _ in canary.sing() } },
        Verb("catch(only:)") { promise, canary in promise.catch(only: Fault.self) { _ in canary.sing() } },
        Verb("recover") { promise, canary in promise.recover { _ in Promise.value(canary.sing(1)) } },
        Verb("recover to a guarantee") { promise, canary in promise.recover { _ in Guarantee.value(canary.sing(1)) } },
        Verb("ensure") { promise, canary in promise.ensure { canary.sing() } },
        Verb("ensureThen") { promise, canary in promise.ensureThen { canary.sing(Guarantee()) } },
        Verb("thenMap") { promise, canary in
            promise.map { [$0, $0] }.thenMap { Promise.value(canary.sing($0)) }
        },
        Verb("a long chain") { promise, canary in
            promise.map { $0 }.then { Promise.value($0) }.ensure {}.asVoid().done { canary.sing() }.cauterize()
        },
    ]

    @Test("what an operator captured and waited for, if its promise is retained", arguments: verbs, Ending.allCases)
    func keptPromise(verb: Verb, ending: Ending) async {
        let cage = Cage()
        let made = run(verb, ending, cage)
        await Wait.until { cage.survivors == ["made"] }
        withExtendedLifetime(made) {}
    }

    /// Synchronous, so that nothing stays alive in a task's frame.
    private func run(_ verb: Verb, _ ending: Ending, _ cage: Cage) -> any Thenable {
        let source = Source(Int.self)
        let made = verb.make(source.promise, cage.canary("captured"))
        cage.watch(source.promise, "source")
        cage.watch(made, "made")
        switch ending {
        case .fulfilled: source.seal.fulfill(1)
        case .rejected: source.seal.reject(Fault.one)
        case .cancelledAbove: source.promise.cancel()
        case .cancelledBelow: made.cancel()
        case .dropped: break
        }
        return made
    }
}
