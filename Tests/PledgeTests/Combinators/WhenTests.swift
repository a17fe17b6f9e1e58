import Pledge
import PledgeTestSupport
import Testing

@Suite("when(fulfilled:) of a list")
struct WhenTests {
    private let sources = [Source(Int.self), Source(Int.self), Source(Int.self)]

    private var all: Promise<[Int]> { when(fulfilled: sources.map(\.promise)) }

    @Test("keeps the order of the promises, whatever the order of completion")
    func order() async throws {
        let promise = all
        sources[2].seal.fulfill(3)
        sources[0].seal.fulfill(1)
        await DefaultExecutor.drain()
        #expect(promise.isPending)
        sources[1].seal.fulfill(2)
        #expect(try await promise.value == [1, 2, 3])
    }

    @Test("and every other when of nothing is fulfilled")
    func nothing() async throws {
        #expect(when(fulfilled: [Promise<Int>]()).isFulfilled)
        #expect(when(fulfilled: [Promise<Void>]()).isFulfilled)
        #expect(when(resolved: [Promise<Int>]()).isFulfilled)
        #expect(when(guarantees: [Guarantee<Int>]()).isFulfilled)
        #expect(try await when(fulfilled: [Promise<Int>]().makeIterator(), concurrently: 2).value.isEmpty)
        #expect(await when(resolved: [Promise<Int>]().makeIterator(), concurrently: 1).value.isEmpty)
    }

    @Test("and every other when keeps values that are nil")
    func optionals() async throws {
        let promises = [Promise<Int?>.value(nil), .value(1)]
        #expect(try await when(fulfilled: promises).value == [nil, 1])
        #expect(try await when(fulfilled: promises.makeIterator(), concurrently: 2).value == [nil, 1])
        #expect(try await when(resolved: promises).value.map { try $0.get() } == [nil, 1])
    }

    @Test("rejects immediately with the first error, and ignores the rest")
    func firstError() async {
        let promise = all
        sources[1].seal.reject(Fault.one)
        await #expect(throws: Fault.one) { try await promise.value }
        sources[0].seal.reject(Fault.two)
        sources[2].seal.fulfill(3)
        await DefaultExecutor.drain()
        await #expect(throws: Fault.one) { try await promise.value }
    }

    @Test("of promises without a value has no value either")
    func void() async throws {
        let void: Promise<Void> = when(fulfilled: [Promise(), Promise()])
        try await void.value
        let failed: Promise<Void> = when(fulfilled: [Promise(), Promise(error: Fault.one)])
        await #expect(throws: Fault.one) { try await failed.value }
    }

    @Test("reads a thenable's promise only once")
    func computedPromise() async throws {
        struct Fresh: Thenable {
            let number: Int
            let reads: Counter
            init(_ number: Int, _ reads: Counter) { (self.number, self.reads) = (number, reads) }
            subscript(_promise _: Void) -> Promise<Int> {
                reads.increment()
                return Promise.value(number).map { $0 + 1 }
            }
        }
        let reads = Counter()
        #expect(try await when(fulfilled: [Fresh(1, reads), Fresh(2, reads)]).value == [2, 3])
        #expect(try await when(fulfilled: Fresh(1, reads), Fresh(2, reads)).value == (2, 3))
        #expect(try await when(resolved: [Fresh(1, reads)]).value.map { try $0.get() } == [2])
        #expect(reads.value == 5)
    }
}
