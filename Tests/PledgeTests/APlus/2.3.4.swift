import Pledge
import PledgeTestSupport
import Testing

// "If x is not an object or function, fulfil with x." Here the verb says which it is: `then` takes only what can be
// followed, `map` takes a value as it is, even one that is a promise.
@Suite("A+ 2.3.4: a plain value returned by a handler")
struct APlus234 {
    @Test("fulfils the promise as it is")
    func plain() async throws {
        #expect(try await Promise.value(1).map { [$0, $0] }.value == [1, 1])
    }

    @Test("fulfils the promise even if it is nil")
    func none() async throws {
        let promise = Promise.value(1).map { _ in Int?.none }
        #expect(try await promise.value == nil)
        #expect(promise.isFulfilled)
    }

    @Test("fulfils the promise even if it is an error")
    func error() async throws {
        #expect(try await Promise.value(1).map { _ in Fault.one }.value == .one)
    }

    @Test("is not followed by map if it is a promise")
    func promise() async throws {
        let inner = Promise<Int>.pending()
        let outer = try await Promise.value(1).map { _ in inner.promise }.value
        #expect(outer.isPending)
        inner.resolver.fulfill(1)
        #expect(try await outer.value == 1)
    }
}
