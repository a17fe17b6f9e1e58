import Pledge
import PledgeTestSupport
import Testing

@Suite("The recipes of the article “Recipes”")
struct RecipeTests {
    private let sources = [Source(Int.self), Source(Int.self), Source(Int.self)]
    private var promises: [Promise<Int>] { sources.map(\.promise) }
    private var stops: [Int] { sources.map(\.stopCount) }

    @Test("The recipe `SerialQueue` runs jobs one after another, and canceling one job doesn't affect the others")
    func serial() async throws {
        let (queue, begun) = (SerialQueue(), Recorder<Int>())
        let jobs = sources.indices.map { number in
            queue.add { [source = sources[number]] in
                begun.append(number)
                return source.promise
            }.map { $0 }
        }
        await DefaultExecutor.drain()
        jobs[1].cancel()
        await DefaultExecutor.drain()
        #expect(begun.all == [0] && stops == [0, 0, 0])
        sources[0].seal.reject(Fault.one)
        await #expect(throws: Fault.one) { try await jobs[0].value }
        await DefaultExecutor.drain()
        jobs[2].cancel()
        #expect(begun.all == [0, 2] && stops == [0, 0, 1])
        #expect(try await queue.add { Promise.value(2) }.value == 2)
    }

    @Test("The recipe `fastest` cancels the losers once a promise is fulfilled")
    func losers() async throws {
        let winner = fastest(promises)
        sources[0].seal.reject(Fault.one)
        sources[1].seal.fulfill(2)
        #expect(try await winner.value == 2)
        #expect(stops == [0, 0, 1])
    }

    @Test("The recipe `allOrNone` cancels the other promises after one has failed")
    func rest() async {
        let all = allOrNone(promises)
        sources[1].seal.reject(Fault.one)
        await #expect(throws: Fault.one) { try await all.value }
        #expect(stops == [1, 0, 1])
    }

    @Test("The recipe `arrivals` yields results as they arrive, and then ends its stream")
    func stream() async {
        let results = arrivals(promises)
        sources[2].seal.fulfill(3)
        sources[0].seal.reject(Fault.one)
        sources[1].seal.fulfill(2)
        var seen: [Int?] = []
        for await result in results { seen.append(try? result.get()) }
        #expect(seen == [3, nil, 2])
    }

    @Test("The recipe `arrivals` cancels the remaining promises when nobody reads its stream any longer")
    func streamEnds() async {
        let results = arrivals(promises)
        sources[2].seal.fulfill(3)
        for await _ in results { break }
        let task = Task { for await _ in results {} }
        task.cancel()
        await task.value
        #expect(stops == [1, 1, 0])
    }

    @Test("The recipe `Newest` cancels the previous request when a new one runs")
    func newest() {
        let newest = Newest<Int>()
        for promise in promises { _ = newest.run(promise) }
        #expect(stops == [1, 1, 0])
    }

    @Test(
        "The recipe `Shelf` sends one request for all callers, lets none cancel it, and repeats it after a failure"
    )
    func shelf() async throws {
        let (shelf, loads) = (Shelf<String, Int>(), Counter())
        func ask() -> Promise<Int> {
            shelf.value("a") { _ in
                loads.increment()
                return promises[loads.value - 1]
            }
        }
        let (one, other) = (ask(), ask())
        one.cancel()
        #expect(loads.value == 1 && stops == [0, 0, 0] && other.isPending)
        sources[0].seal.reject(Fault.one)
        await #expect(throws: Fault.one) { try await other.value }
        sources[1].seal.fulfill(2)
        #expect(try await ask().value == 2)
    }

    @Test("The recipe `obedient` waits as long as a busy server asks; if the server asks for no wait, the waits grow")
    func busy() {
        #expect(obedient.seconds(3, Busy(retryAfter: 7)) == 7)
        #expect((1...7).map { obedient.seconds($0, Fault.one) } == [2, 4, 8, 16, 32, 60, 60])
    }
}
