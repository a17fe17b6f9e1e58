import Pledge
import PledgeTestSupport
import Testing

/// A foreign type that stands for a promise.
private struct Parcel: Thenable {
    let promise: Promise<Int>
    subscript(_promise _: Void) -> Promise<Int> { promise }
}

// 2.3.3 is about objects that happen to have a `then`: reading it only once, it throwing, it calling back twice or
// with the wrong `this`. A typed promise never probes an object: what can be followed says so by conforming to
// `Thenable`, and says how by giving a promise. That it settles once is that promise's business (2.1).
@Suite("A+ 2.3.3: a foreign thenable returned by a handler")
struct APlus233 {
    @Test("is followed to its value")
    func value() async throws {
        #expect(try await Promise().then { Parcel(promise: .value(1)) }.value == 1)
    }

    @Test("is followed to its error")
    func error() async {
        let promise = Promise().then { Parcel(promise: Promise(error: Fault.one)) }
        await #expect(throws: Fault.one) { try await promise.value }
    }

    @Test("is followed while it is pending")
    func pending() async throws {
        let (inner, seal) = Promise<Int>.pending()
        let promise = Promise().then { Parcel(promise: inner) }
        await DefaultExecutor.drain()
        #expect(promise.isPending)
        seal.fulfill(1)
        #expect(try await promise.value == 1)
    }

    @Test("has every verb of a promise")
    func verbs() async throws {
        #expect(try await Parcel(promise: .value(1)).map { $0 + 1 }.get { _ in }.value == 2)
        #expect(try await when(fulfilled: [Parcel(promise: .value(1)), Parcel(promise: .value(2))]).value == [1, 2])
        #expect(try await race(Parcel(promise: .value(1))).value == 1)
    }

    @Test("a guarantee is one")
    func guarantee() async throws {
        let promise: Promise<Int> = Promise().then { Guarantee.value(1) }
        #expect(try await promise.value == 1)
    }
}
