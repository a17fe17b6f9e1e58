import Pledge
import PledgeTestSupport
import Testing

@Suite("when(fulfilled:) of promises of different types")
struct WhenTuplesTests {
    private let response = Promise.value((attributes: ["mood"], status: 200))
    private let a = Promise.value(1)
    private let b = Promise.value("b")
    private let c = Promise.value(3.0)
    private let d = Promise.value(Int?.none)
    private let e = Promise.value([5])

    @Test("`when` passes two to five values of different types to a closure with as many parameters")
    func values() async throws {
        let seen = Recorder<String>()
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

    @Test("`when` of two to five promises also rejects with the error of the last one")
    func error() {
        let failed = Promise<Int>(error: Fault.one)
        let promises = [
            when(fulfilled: a, failed).asVoid(), when(fulfilled: a, b, failed).asVoid(),
            when(fulfilled: a, b, c, failed).asVoid(), when(fulfilled: a, b, c, d, failed).asVoid(),
        ]
        #expect(promises.allSatisfy { $0.error as? Fault == .one })
    }

    @Test("If a value is a tuple, `when` keeps the tuple's labels; `when` also accepts a guarantee beside a promise")
    func labelledInside() async throws {
        let sum = when(fulfilled: response, a, Guarantee.value("g")).map { response, number, text in
            response.status + response.attributes.count + number + text.count
        }
        #expect(try await sum.value == 203)
    }
}
