import Pledge
import PledgeTestSupport
import Testing

@Suite("A resolver that follows another promise")
struct FollowTests {
    private let source = Source(Int.self)

    @Test("ignores all calls that come later, even before there is an outcome, and may be released")
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
}

@Suite("A resolver that is released")
struct ReleasedResolverTests {
    /// A function of its own, which releases the resolver.
    private func wrapped(_ source: Promise<Int>) -> (Promise<Int>, Promise<Void>) {
        let (promise, seal) = Promise<Int>.pending()
        return (promise, source.done { seal.fulfill($0) }.catch { _ in withExtendedLifetime(seal) {} })
    }

    @Test("for another reason rejects as dropped, even after a cancel, or while a handler of a failed promise runs")
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
}
