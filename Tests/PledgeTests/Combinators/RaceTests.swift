import Pledge
import PledgeTestSupport
import Testing

@Suite("race")
struct RaceTests {
    private let sources = [Source(Int.self), Source(Int.self), Source(Int.self)]

    private var promises: [Promise<Int>] { sources.map(\.promise) }

    @Test("is won by the first to be fulfilled")
    func value() async throws {
        let promise = race(promises)
        sources[1].seal.fulfill(2)
        sources[0].seal.fulfill(1)
        #expect(try await promise.value == 2)
    }

    @Test("is lost by the first to be rejected")
    func error() async {
        let promise = race(promises)
        sources[1].seal.reject(Fault.one)
        sources[0].seal.fulfill(1)
        await #expect(throws: Fault.one) { try await promise.value }
    }

    @Test("of promises that have settled is won by the first in line")
    func settled() async throws {
        #expect(try await race(Promise.value(1), Promise.value(2)).value == 1)
    }

    @Test("lets the losers go on")
    func losersGoOn() async throws {
        let promise = race(promises)
        sources[0].seal.fulfill(1)
        #expect(try await promise.value == 1)
        #expect(sources.map(\.stopCount) == [0, 0, 0])
        #expect(promises[1].isPending)
    }

    @Test("of nothing is rejected, and says why")
    func nothing() async throws {
        let error = try #require(await race([Promise<Int>]()).failure())
        #expect("\(error)" == "race was given no promises, so none can ever win.")
    }

    @Test("of guarantees is a guarantee")
    func guarantees() async {
        let (late, resolve) = Guarantee<Int>.pending()
        let winner: Guarantee<Int> = race(late, .value(2))
        #expect(await winner.value == 2)
        resolve(1)
    }
}

@Suite("race(fulfilled:)")
struct RaceFulfilledTests {
    private let sources = [Source(Int.self), Source(Int.self), Source(Int.self)]

    private var promises: [Promise<Int>] { sources.map(\.promise) }

    @Test("is won by the first to be fulfilled, whatever was rejected before")
    func value() async throws {
        let promise = race(fulfilled: promises)
        sources[0].seal.reject(Fault.one)
        await DefaultExecutor.drain()
        #expect(promise.isPending)
        sources[2].seal.fulfill(3)
        #expect(try await promise.value == 3)
    }

    @Test("has no winner if all are rejected")
    func allRejected() async throws {
        let promise = race(fulfilled: promises)
        for source in sources { source.seal.reject(Fault.one) }
        let error = try #require(await promise.failure())
        #expect(error as? PromiseError == .noWinner)
        #expect("\(error)" == "None of the promises that raced was fulfilled.")
    }

    @Test("takes promises one after the other")
    func variadic() async throws {
        #expect(try await race(fulfilled: Promise(error: Fault.one), Promise.value(2)).value == 2)
    }

    @Test("of nothing is rejected, and says why")
    func nothing() async throws {
        let error = try #require(await race(fulfilled: [Promise<Int>]()).failure())
        #expect("\(error)" == "race was given no promises, so none can ever win.")
    }
}
