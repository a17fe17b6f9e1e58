import Pledge
import PledgeTestSupport
import Testing

@Suite("The recipe for")
struct RecipeTests {
    private let sources = [Source(Int.self), Source(Int.self), Source(Int.self)]
    private var promises: [Promise<Int>] { sources.map(\.promise) }
    private var stops: [Int] { sources.map(\.stopCount) }

    @Test("a serial queue runs jobs one after another, and canceling one doesn't affect the others")
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

    @Test("the fastest cancels the losers")
    func losers() async throws {
        let winner = fastest(promises)
        sources[0].seal.reject(Fault.one)
        sources[1].seal.fulfill(2)
        #expect(try await winner.value == 2)
        #expect(stops == [0, 0, 1])
    }

    @Test("all or none cancels the rest after a failure")
    func rest() async {
        let all = allOrNone(promises)
        sources[1].seal.reject(Fault.one)
        await #expect(throws: Fault.one) { try await all.value }
        #expect(stops == [1, 0, 1])
    }

    @Test("arrivals yields results as they arrive, then ends")
    func stream() async {
        let results = arrivals(promises)
        sources[2].seal.fulfill(3)
        sources[0].seal.reject(Fault.one)
        sources[1].seal.fulfill(2)
        var seen: [Int?] = []
        for await result in results { seen.append(try? result.get()) }
        #expect(seen == [3, nil, 2])
    }

    @Test("arrivals cancels the remaining promises when nobody listens any longer")
    func streamEnds() async {
        let results = arrivals(promises)
        sources[2].seal.fulfill(3)
        for await _ in results { break }
        let task = Task { for await _ in results {} }
        task.cancel()
        await task.value
        #expect(stops == [1, 1, 0])
    }

    @Test("the newest request cancels the previous one")
    func newest() {
        let newest = Newest<Int>()
        for promise in promises { _ = newest.run(promise) }
        #expect(stops == [1, 1, 0])
    }

    @Test("one request for many callers sends it once, lets no caller cancel it, and sends it again after a failure")
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

    @Test("a busy server waits as long as the server says, and otherwise longer each time")
    func busy() {
        #expect(obedient.seconds(3, Busy(retryAfter: 7)) == 7)
        #expect((1...7).map { obedient.seconds($0, Fault.one) } == [2, 4, 8, 16, 32, 60, 60])
    }
}
