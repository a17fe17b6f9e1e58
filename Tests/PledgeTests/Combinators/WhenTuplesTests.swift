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
    private let seen = Recorder<String>()

    @Test("passes two to five values to a closure with as many parameters")
    func values() async throws {
        let seen = seen
        try await when(fulfilled: a, b).done { a, b in seen.append("\(a) \(b)") }.value
        try await when(fulfilled: a, b, c).done { a, b, c in seen.append("\(a) \(b) \(c)") }.value
        try await when(fulfilled: a, b, c, d).done { a, b, c, d in
            seen.append("\(a) \(b) \(c) \(d ?? -1)")
        }.value
        try await when(fulfilled: a, b, c, d, e).done { a, b, c, d, e in
            seen.append("\(a) \(b) \(c) \(d ?? -1) \(e)")
        }.value
        let words = ["1", "b", "3.0", "-1", "[5]"]
        #expect(seen.all == (2...5).map { words.prefix($0).joined(separator: " ") })
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

    @Test("rejects immediately with the first error", arguments: [0, 1, 2])
    func error(position: Int) async {
        let sources = (Source(Int.self), Source(String.self), Source(Double.self))
        let promise = when(fulfilled: sources.0.promise, sources.1.promise, sources.2.promise)
        [sources.0.seal.reject, sources.1.seal.reject, sources.2.seal.reject][position](Fault.one)
        await #expect(throws: Fault.one) { try await promise.asVoid().value }
        #expect([sources.0.stopCount, sources.1.stopCount, sources.2.stopCount] == [0, 0, 0])
    }
}
