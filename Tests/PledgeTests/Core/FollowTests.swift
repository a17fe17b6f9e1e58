import Dispatch
import Pledge
import PledgeTestSupport
import Testing

@Suite("A resolver that follows another promise")
struct FollowTests {
    private let source = Source(Int.self)

    @Test("adopts its value or its error", arguments: [true, false])
    func outcome(isEarly: Bool) async throws {
        let failed = Source(Int.self)
        if isEarly { source.seal.fulfill(1) }
        if isEarly { failed.seal.reject(Fault.one) }
        let (one, two) = (Promise { $0.follow(source.promise) }, Promise { $0.follow(failed.promise.map { $0 }) })
        source.seal.fulfill(1)
        failed.seal.reject(Fault.one)
        #expect(try await one.value == 1)
        await #expect(throws: Fault.one) { try await two.value }
    }

    @Test("cancels it, unless something else waits for it, and is canceled with it")
    func cancel() {
        let (down, up) = (Promise<Int>.pending(), Promise<Int>.pending())
        down.resolver.follow(source.promise.map { $0 })
        #expect(!down.resolver.isCancelled)
        down.promise.cancel()
        #expect(source.stopCount == 1 && down.resolver.isCancelled)
        let shared = Source(Int.self)
        let other = shared.promise.map { $0 }
        up.resolver.follow(shared.promise)
        up.promise.cancel()
        #expect(shared.stopCount == 0 && other.isPending)
        let above = Promise { $0.follow(shared.promise) }
        shared.promise.cancel()
        #expect(above.error?.isCancelled == true)
    }

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
    static let wrappers: [@Sendable (Promise<Int>, Resolver<Int>) -> Promise<Void>] = [
        { request, seal in request.done { seal.fulfill($0) }.catch { seal.reject($0) } },
        { request, seal in request.done { seal.fulfill($0) }.catch { _ in } },
        { request, seal in request.map { $0 }.done(on: nil) { seal.fulfill($0) }.catch(on: nil) { seal.reject($0) } },
        { request, seal in
            let queue = DispatchQueue(label: "wrapper")
            return request.done(on: queue) { seal.fulfill($0) }.catch(on: queue) { seal.reject($0) }
        },
        { request, seal in request.done { seal.fulfill($0) }.catch(only: Fault.self) { seal.reject($0) }.cauterize() },
        { request, seal in
            request.recover { _ in Promise.value(1) }.done { seal.fulfill($0) }.recover { seal.reject($0) }
        },
    ]

    @Test("because what it waited for was canceled, from above or from below, rejects as canceled", arguments: wrappers)
    func cancelled(wrap: @Sendable (Promise<Int>, Resolver<Int>) -> Promise<Void>) async {
        for isAbove in [true, false] {
            let source = Source(Int.self)
            let (outer, end) = make(source.promise, wrap)
            if isAbove { source.promise.cancel() } else { end.cancel() }
            #expect(await outer.failure() as? PromiseError == .cancelled)
        }
    }

    /// A function of its own, which releases the resolver.
    private func make(
        _ source: Promise<Int>, _ wrap: @Sendable (Promise<Int>, Resolver<Int>) -> Promise<Void>
    ) -> (Promise<Int>, Promise<Void>) {
        let (promise, seal) = Promise<Int>.pending()
        return (promise, wrap(source, seal))
    }

    @Test("for another reason rejects as dropped, even after a cancel, or while a handler of a failed promise runs")
    func dropped() async {
        let source = Source(Int.self)
        let (ignoring, end) = make(source.promise) { request, seal in
            request.done { seal.fulfill($0) }.catch { _ in withExtendedLifetime(seal) {} }
        }
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
