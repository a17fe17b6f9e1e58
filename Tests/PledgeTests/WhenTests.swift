import Pledge
import PledgeTestSupport
import Testing

@Suite("when")
struct WhenTests {
    @Test("`when` of an empty list is fulfilled at once")
    func nothing() async throws {
        #expect(when(fulfilled: [Promise<Int>]()).isFulfilled)
        #expect(when(fulfilled: [Promise<Void>]()).isFulfilled)
        #expect(when(resolved: [Promise<Int>]()).isFulfilled)
        #expect(when(guarantees: [Guarantee<Int>]()).isFulfilled)
        #expect(try await when(fulfilled: [Promise<Int>]().makeIterator(), concurrently: 2).value.isEmpty)
        #expect(await when(resolved: [Promise<Int>]().makeIterator(), concurrently: 1).value.isEmpty)
    }

    @Test("`when` keeps values that are nil")
    func optionals() async throws {
        let promises = [Promise<Int?>.value(nil), .value(1)]
        #expect(try await when(fulfilled: promises).value == [nil, 1])
        #expect(try await when(fulfilled: promises.makeIterator(), concurrently: 2).value == [nil, 1])
        #expect(try await when(resolved: promises).value.map { try $0.get() } == [nil, 1])
    }

    @Test("`when` of promises without values is itself a promise without a value")
    func void() async throws {
        let void: Promise<Void> = when(fulfilled: [Promise(), Promise()])
        try await void.value
        let failed: Promise<Void> = when(fulfilled: [Promise(), Promise(error: Fault.one)])
        await #expect(throws: Fault.one) { try await failed.value }
    }

    @Test("`when` reads the promise of a Thenable only once")
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
