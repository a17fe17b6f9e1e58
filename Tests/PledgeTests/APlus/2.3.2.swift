import Pledge
import PledgeTestSupport
import Testing

@Suite("A+ 2.3.2: a promise returned by a handler")
struct APlus232 {
    @Test("2.3.2.1: keeps the outer one pending until it settles")
    func pending() async throws {
        let (inner, seal) = Promise<Int>.pending()
        let outer = Promise().then { inner }
        await DefaultExecutor.drain()
        #expect(outer.isPending)
        seal.fulfill(1)
        #expect(try await outer.value == 1)
    }

    @Test("2.3.2.2: hands over the value it has already")
    func alreadyFulfilled() async throws {
        let inner = Promise.value(1)
        #expect(try await Promise().then { inner }.value == 1)
    }

    @Test("2.3.2.2: hands over the value it gets later, and only the first")
    func fulfilledLater() async throws {
        let (inner, seal) = Promise<Int>.pending()
        let outer = Promise().then { inner }
        await DefaultExecutor.drain()
        seal.fulfill(1)
        seal.fulfill(2)
        #expect(try await outer.value == 1)
    }

    @Test("2.3.2.3: hands over the error it has already")
    func alreadyRejected() async {
        let inner = Promise<Int>(error: Fault.one)
        await #expect(throws: Fault.one) { try await Promise().then { inner }.value }
    }

    @Test("2.3.2.3: hands over the error it gets later")
    func rejectedLater() async {
        let (inner, seal) = Promise<Int>.pending()
        let outer = Promise().then { inner }
        await DefaultExecutor.drain()
        seal.reject(Fault.one)
        await #expect(throws: Fault.one) { try await outer.value }
    }

    @Test("is followed through any number of layers", arguments: [1, 2, 3, 50])
    func layers(count: Int) async throws {
        let (inner, seal) = Promise<Int>.pending()
        var outer = inner
        for _ in 0..<count {
            let next = outer
            outer = Promise().then { next }
        }
        await DefaultExecutor.drain()
        #expect(outer.isPending)
        seal.fulfill(7)
        #expect(try await outer.value == 7)
    }

    @Test("decides several outer ones, in the order in which they began to follow it")
    func shared() async {
        let (inner, seal) = Promise<Int>.pending()
        let events = Recorder<Int>()
        for number in 0..<10 {
            Promise().then { inner }.done { _ in events.append(number) }.cauterize()
        }
        await DefaultExecutor.drain()
        seal.fulfill(0)
        await DefaultExecutor.drain()
        #expect(events.all == Array(0..<10))
    }
}
