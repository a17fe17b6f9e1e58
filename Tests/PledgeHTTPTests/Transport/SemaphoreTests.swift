import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeHTTP

@Suite("Semaphores", .serialized)
struct SemaphoreTests {
    @Test("A semaphore runs at most as many calls at once as its width, and starts them in order")
    func width() async throws {
        let semaphore = Semaphore(width: 3)
        let inside = Counter()
        let order = Recorder<Int>()
        let works = (0..<20).map { _ in Promise<Int>.pending() }
        let all = works.indices.map { index in
            semaphore.enter {
                inside.increment()
                order.append(index)
                return works[index].promise.ensure { inside.decrement() }
            }
        }
        await DefaultExecutor.drain()
        #expect(inside.value == 3)
        for (index, work) in works.enumerated() {
            work.resolver.fulfill(index)
            await DefaultExecutor.drain()
        }
        #expect(try await when(fulfilled: all).value == Array(0..<20))
        #expect(inside.peak == 3)
        #expect(order.all == Array(0..<20))
    }

    @Test("A call that is canceled while it waits never starts; canceling a running call lets the next one start")
    func cancelled() async throws {
        let semaphore = Semaphore(width: 1)
        let (work, resolver) = Promise<Int>.pending()
        let first = semaphore.enter { work }
        let second = semaphore.enter { () -> Promise<Int> in
            Issue.record("a canceled call started")
            return .value(2)
        }
        let third = semaphore.enter { Promise.value(3) }
        second.cancel()
        first.cancel()
        #expect(try await third.value == 3)
        #expect(work.isRejected)
        _ = resolver
    }

    @Test("Many calls that are canceled together, one running and the others waiting, don't overflow a small stack")
    func cancelledTogether() async {
        let semaphore = Semaphore(width: 1)
        let (work, resolver) = Promise<Int>.pending()
        await SmallStack.run {
            let running = semaphore.enter { work }
            let waiting = (0..<SmallStack.depth).map { semaphore.enter { [number = $0] in Promise.value(number) } }
            when(fulfilled: [running] + waiting).cancel()
        }
        #expect(semaphore.waitingCounts.isEmpty && work.isRejected)
        _ = resolver
    }

    @Test("Each origin has its own limit of running calls, and an origin without calls is no longer stored")
    func origins() throws {
        let semaphore = Semaphore(width: 1)
        let (work, resolver) = Promise<Int>.pending()
        let addresses = ["http://a.example/", "http://b.example/", "http://a.example:81/", "http://A.example:80/x"]
        let origins = try addresses.map { Origin(try #require(URL(string: $0))) }
        let calls = origins.map { origin in semaphore.enter(origin) { work.map(on: nil) { $0 } } }
        let later = origins.map { origin in semaphore.enter(origin) { .value(2) } }
        #expect(semaphore.waitingCounts == [origins[0]: 3, origins[1]: 1, origins[2]: 1])
        resolver.fulfill(1)
        #expect((calls + later).allSatisfy(\.isFulfilled) && semaphore.waitingCounts.isEmpty)
    }

    @Test("A waiting list returns its elements in order, without removed ones, even if it was empty before")
    func list() {
        var list = WaitingList<Int>()
        #expect(list.popFirst() == nil)
        let numbers = (0...3).map { list.append($0) }
        list.remove(numbers[1])
        let popped = (0...3).map { _ in list.popFirst() }
        #expect(popped == [0, 2, 3, nil])
    }

    @Test("A semaphore loses no capacity if calls end and are canceled at the same time")
    func noRoomIsLost() async throws {
        let semaphore = Semaphore(width: 2)
        for round in 0..<500 {
            let (work, resolver) = Promise<Int>.pending()
            let calls = (0..<6).map { _ in semaphore.enter { work } }
            await withTaskGroup(of: Void.self) { group in
                group.addTask { resolver.fulfill(round) }
                for call in calls.dropFirst(round % 3) { group.addTask { call.cancel() } }
            }
            for call in calls { _ = await call.settled().value }
        }
        #expect(try await when(fulfilled: semaphore.enter { .value(1) }, semaphore.enter { .value(2) }).value == (1, 2))
    }
}
