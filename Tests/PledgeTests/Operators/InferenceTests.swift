import Pledge
import PledgeTestSupport
import Testing

// What Swift 6.3 can infer after a `then` with several statements. The troubleshooting article lists what it cannot:
// `.done { print($0.count) }` (one expression, a call that takes `Any`) and `.done { a, b in … }` on a labeled tuple
// compile only in the forms below.
@Suite("After a then with several statements, Swift infers")
struct InferenceTests {
    typealias Reply = (attributes: [String], status: Int)

    private let seen = Recorder<String>()

    private func text() -> Promise<String> { .value("four") }
    private func reply(_ text: String) -> Promise<Reply> { .value((attributes: [text], status: 200)) }
    private func use(_ text: String) { seen.append(text) }

    @Test("a done with several statements, one that calls a function of one type, and a map with one expression")
    func value() async throws {
        let (text, seen) = (text(), seen)
        try await Promise().then {
            seen.append("then")
            return text
        }.done { string in
            let count = string.count
            seen.append("\(count)")
        }.value
        try await Promise().then {
            seen.append("then")
            return text
        }.done {
            seen.append($0)
        }.value
        let count = try await Promise().then {
            seen.append("then")
            return text
        }.map { $0.count }.value
        #expect(seen.all == ["then", "4", "then", "four", "then"] && count == 4)
    }

    @Test("the elements of a labeled tuple by name, in several statements")
    func labelledTuple() async throws {
        let (reply, seen) = (reply("mood"), seen)
        try await Promise().then {
            seen.append("then")
            return reply
        }.done { reply in
            seen.append(reply.attributes[0])
            seen.append("\(reply.status)")
        }.value
        #expect(seen.all == ["then", "mood", "200"])
    }

    @Test(
        "two parameters for a labeled tuple, if the then is one expression, declares its result type, or ends in a let")
    func parameters() async throws {
        let (reply, seen) = (reply("mood"), seen)
        try await Promise().then { reply }.done { attributes, status in seen.append("\(attributes) \(status)") }.value
        try await Promise().then { () -> Promise<Reply> in
            seen.append("then")
            return reply
        }.done { attributes, status in
            seen.append("\(attributes) \(status)")
        }.value
        let fetched = Promise().then {
            seen.append("then")
            return reply
        }
        try await fetched.done { attributes, status in seen.append("\(attributes) \(status)") }.value
        let pair = #"["mood"] 200"#
        #expect(seen.all == [pair, "then", pair, "then", pair])
    }

    @Test("a call that takes Any, if the then declares its result type")
    func takesAny() async throws {
        let (text, seen) = (text(), seen)
        @Sendable func show(_ values: Any...) { seen.append("\(values)") }
        try await Promise().then { () -> Promise<String> in
            seen.append("then")
            return text
        }.done { show($0.count) }.value
        #expect(seen.all == ["then", "[4]"])
    }

    @Test("a handler after a recover with several statements")
    func errors() async throws {
        let seen = seen
        let count = try await Promise<String>(error: Fault.one).recover { error in
            seen.append("\(error)")
            return Promise.value("four")
        }.map(\.count).value
        #expect(count == 4)
    }
}
