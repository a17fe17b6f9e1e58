import Pledge
import PledgeTestSupport
import Testing

@Suite("A resolver that follows another promise")
struct FollowTests {
    private let source = Source(Int.self)

    @Test("A resolver that follows a pending promise ignores all other calls, and may be released")
    func first() async throws {
        var made: (promise: Promise<Int>, resolver: Resolver<Int>)? = Promise<Int>.pending()
        let (promise, late) = (try #require(made?.promise), Source(Int.self))
        late.seal.fulfill(1)
        late.seal.follow(source.promise)
        made?.resolver.follow(source.promise)
        made?.resolver.fulfill(2)
        made?.resolver.reject(Fault.one)
        made?.resolver.follow(Promise.value(3))
        made = nil
        #expect(promise.isPending)
        source.seal.fulfill(1)
        #expect(try await promise.value == 1)
        #expect(try await late.promise.value == 1)
    }

    @Test(
        "If a canceled resolver follows a promise, it cancels the promise unless others wait for it, and handles its error"
    )
    func late() async {
        let (ended, fault) = (Source(Int.self), Fault("follow-\(#line)"))
        ended.promise.cancel()
        let shared = Source(Int.self)
        let other = shared.promise.map { $0 }
        for followed in [source, shared] { ended.seal.follow(followed.promise) }
        ended.seal.follow(Promise(error: fault))
        #expect(source.stopCount == 1 && source.promise.isRejected)
        #expect(shared.stopCount == 0 && other.isPending)
        await DefaultExecutor.drain()
        #expect(LogCapture.shared.unhandled(fault).isEmpty)
    }

    @Test(
        "A resolver is canceled and runs its hooks when the promise that it follows is canceled, or was canceled before",
        arguments: [true, false])
    func cancelled(isBefore: Bool) {
        let (follower, below) = (Source(Int.self), source.promise.map(on: nil) { $0 })
        if isBefore { source.promise.cancel() }
        follower.seal.follow(below)
        if !isBefore { source.promise.cancel() }
        #expect(follower.seal.isCancelled && follower.stopCount == 1)
        #expect(follower.promise.error as? PromiseError == .cancelled)
    }

    @Test("A resolver is not canceled if the promise that it follows fails for another reason")
    func failed() {
        let follower = Source(Int.self)
        follower.seal.follow(source.promise)
        source.seal.reject(Fault.one)
        #expect(follower.promise.error as? Fault == .one)
        #expect(!follower.seal.isCancelled && follower.stopCount == 0)
    }

    @Test("A resolver that follows its own promise rejects that promise")
    func itself() {
        source.seal.follow(source.promise)
        #expect(source.promise.error as? PromiseError == .returnedSelf)
    }
}

@Suite("A released resolver")
struct ReleasedResolverTests {
    /// Wraps a promise with a resolver. When this function returns, only the closures of the chain still hold the resolver.
    private func wrapped(_ source: Promise<Int>) -> (Promise<Int>, Promise<Void>) {
        let (promise, seal) = Promise<Int>.pending()
        return (promise, source.done { seal.fulfill($0) }.catch { _ in withExtendedLifetime(seal) {} })
    }

    @Test(
        "A promise rejects as dropped if a failed chain releases its resolver, even if another promise was canceled before"
    )
    func dropped() async {
        let source = Source(Int.self)
        let (ignoring, end) = wrapped(source.promise)
        source.seal.reject(Fault.one)
        let next = Source(Int.self)
        let done = next.promise.catch { _ in }
        next.promise.cancel()
        let after = Promise<Int> { _ in }
        for promise in [ignoring, after] {
            if case .dropped = await promise.failure() as? PromiseError {} else { Issue.record("not dropped") }
        }
        withExtendedLifetime((end, done)) {}
    }

    /// Ways to run a closure during or after the cancel of a promise.
    private static let runners: [@Sendable (Source<Int>, @escaping @Sendable () -> Void) -> Promise<Void>] = [
        { source, run in source.promise.ensure(on: nil, run).asVoid() },
        { source, run in
            let end = source.promise.asVoid()
            end.finally(on: nil, run)
            return end
        },
        { source, run in
            source.seal.onCancel(run)
            return source.promise.asVoid()
        },
        { source, run in
            let start = source.promise
            return start.done(on: nil) { _ in }.catch(on: nil, policy: .allErrors) { _ in run() }
        },
        { source, run in source.promise.asVoid().recover(on: nil) { _ in run() }._promise },
        { source, run in source.promise.tap(on: nil) { _ in run() }.asVoid() },
        { source, run in
            source.promise.pipe { _ in run() }
            return source.promise.asVoid()
        },
    ]

    @Test(
        "If a resolver is released while an unrelated promise is being canceled, or later, the resolver's promise rejects as dropped",
        arguments: runners.indices, [true, false])
    func elsewhere(_ index: Int, isAbove: Bool) async {
        let (table, source) = (Locked<[Resolver<Int>]>([]), Source(Int.self))
        let promise = Promise<Int> { seal in table.withLock { $0 = [seal] } }
        let end = Self.runners[index](source) {
            let seals = table.withLock { seals in
                defer { seals = [] }
                return seals
            }
            withExtendedLifetime(seals) {}
        }
        if isAbove { source.promise.cancel() } else { end.cancel() }
        await DefaultExecutor.drain()
        // A canceled handler never runs.
        guard table.withLock({ $0.isEmpty }) else { return #expect(!isAbove) }
        if case .dropped = promise.error as? PromiseError {} else { Issue.record("not dropped") }
    }
}
