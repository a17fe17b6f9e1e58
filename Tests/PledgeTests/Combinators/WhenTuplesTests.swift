import Pledge
import PledgeTestSupport
import Testing

@Suite("when(fulfilled:) of promises of different types")
struct WhenTuplesTests {
    private typealias Reply = (attributes: [String], status: Int)

    private let reply = Promise<Reply>.value((attributes: ["mood"], status: 200))
    private let a = Promise.value(1)
    private let b = Promise.value("b")
    private let c = Promise.value(3.0)
    private let d = Promise.value(Int?.none)
    private let e = Promise.value([5])
    private let f = Promise.value(Character("f"))
    private let seen = Recorder<String>()

    @Test("passes two values to a closure with two parameters")
    func two() async throws {
        try await when(fulfilled: a, b).done { [seen] a, b in seen.append("\(a) \(b)") }.value
        #expect(seen.all == ["1 b"])
    }

    @Test("passes three values")
    func three() async throws {
        try await when(fulfilled: a, b, c).done { [seen] a, b, c in seen.append("\(a) \(b) \(c)") }.value
        #expect(seen.all == ["1 b 3.0"])
    }

    @Test("passes four values")
    func four() async throws {
        try await when(fulfilled: a, b, c, d).done { [seen] a, b, c, d in
            seen.append("\(a) \(b) \(c) \(d ?? -1)")
        }.value
        #expect(seen.all == ["1 b 3.0 -1"])
    }

    @Test("passes five values")
    func five() async throws {
        try await when(fulfilled: a, b, c, d, e).done { [seen] a, b, c, d, e in
            seen.append("\(a) \(b) \(c) \(d ?? -1) \(e)")
        }.value
        #expect(seen.all == ["1 b 3.0 -1 [5]"])
    }

    @Test("passes six values")
    func six() async throws {
        try await when(fulfilled: a, b, c, d, e, f).done { [seen] a, b, c, d, e, f in
            seen.append("\(a) \(b) \(c) \(d ?? -1) \(e) \(f)")
        }.value
        #expect(seen.all == ["1 b 3.0 -1 [5] f"])
    }

    @Test("passes seven values")
    func seven() async throws {
        try await when(fulfilled: a, b, c, d, e, f, reply).done { [seen] a, b, c, d, e, f, reply in
            seen.append("\(a) \(b) \(c) \(d ?? -1) \(e) \(f) \(reply.status)")
        }.value
        #expect(seen.all == ["1 b 3.0 -1 [5] f 200"])
    }

    @Test("keeps the labels of tuples inside")
    func labelledInside() async throws {
        try await when(fulfilled: reply, a).done { [seen] reply, number in
            seen.append("\(reply.attributes) \(reply.status) \(number)")
        }.value
        try await when(fulfilled: reply, reply, reply).map { first, second, third in
            first.status + second.status + third.attributes.count
        }.done { [seen] sum in seen.append("\(sum)") }.value
        #expect(seen.all == [#"["mood"] 200 1"#, "401"])
    }

    @Test("accepts a guarantee beside a promise")
    func guarantee() async throws {
        let values = try await when(fulfilled: a, Guarantee.value("g")).value
        #expect(values == (1, "g"))
    }

    @Test("waits for the last of them")
    func waits() async throws {
        let source = Source(Int.self)
        let promise = when(fulfilled: a, source.promise, c)
        await DefaultExecutor.drain()
        #expect(promise.isPending)
        source.seal.fulfill(2)
        #expect(try await promise.value == (1, 2, 3.0))
    }

    @Test("rejects immediately with the first error", arguments: [0, 1, 2])
    func error(position: Int) async {
        let sources = (Source(Int.self), Source(String.self), Source(Double.self))
        let promise = when(fulfilled: sources.0.promise, sources.1.promise, sources.2.promise)
        switch position {
        case 0: sources.0.seal.reject(Fault.one)
        case 1: sources.1.seal.reject(Fault.one)
        default: sources.2.seal.reject(Fault.one)
        }
        await #expect(throws: Fault.one) { try await promise.asVoid().value }
        #expect([sources.0.stopCount, sources.1.stopCount, sources.2.stopCount] == [0, 0, 0])
    }

    @Test("passes cancellation on to all of them")
    func cancel() {
        let sources = (Source(Int.self), Source(String.self))
        when(fulfilled: sources.0.promise, sources.1.promise).cancel()
        #expect(sources.0.stopCount == 1)
        #expect(sources.1.stopCount == 1)
    }
}
