import Pledge
import PledgeTestSupport
import Testing

@Suite("when(resolved:) and when(guarantees:)")
struct WhenResolvedTests {
    @Test("when(resolved:) has every outcome, in the order of the promises")
    func outcomes() async {
        let sources = [Source(Int.self), Source(Int.self), Source(Int.self)]
        let guarantee = when(resolved: sources.map(\.promise))
        sources[2].seal.reject(Fault.two)
        sources[1].seal.fulfill(2)
        await DefaultExecutor.drain()
        #expect(guarantee.isPending)
        sources[0].seal.reject(Fault.one)
        let outcomes = await guarantee.value
        #expect(outcomes.map { try? $0.get() } == [nil, 2, nil])
        #expect(throws: Fault.one) { try outcomes[0].get() }
        #expect(throws: Fault.two) { try outcomes[2].get() }
    }

    @Test("when(guarantees:) has every value, in order")
    func guarantees() async {
        let (late, resolve) = Guarantee<Int>.pending()
        let guarantee: Guarantee<[Int]> = when(guarantees: late, .value(2))
        resolve(1)
        #expect(await guarantee.value == [1, 2])
        let list: Guarantee<[Int]> = when(guarantees: [.value(1), .value(2)])
        #expect(await list.value == [1, 2])
    }
}
