import Pledge
import PledgeTestSupport
import Testing

@Suite("Released by a combinator:")
struct CombinatorMemoryTests {
    @Test("the iterator, as soon as it has ended or a promise was rejected", arguments: [true, false])
    func iterator(rejects: Bool) async {
        let cage = Cage()
        let sources = [Source(Int.self), Source(Int.self)]
        let promise = begin(sources, concurrently: rejects ? 1 : 3, cage)
        await DefaultExecutor.drain()
        if rejects { sources[0].seal.reject(Fault.one) }
        await DefaultExecutor.drain()
        #expect(cage.survivors.isEmpty)
        #expect(promise.isPending != rejects)
        promise.cauterize()
        withExtendedLifetime(sources) {}
    }

    private func begin(_ sources: [Source<Int>], concurrently limit: Int, _ cage: Cage) -> Promise<[Int]> {
        let canary = cage.canary("captured by the iterator")
        var promises = sources.map(\.promise).makeIterator()
        let source = AnyIterator { () -> Promise<Int>? in
            canary.sing()
            return promises.next()
        }
        return when(fulfilled: source, concurrently: limit)
    }
}
