import Pledge
import PledgeTestSupport
import Testing

@Suite("map, compactMap, and asVoid")
struct MapTests {
    private struct Person: Sendable {
        var name = "Ada"
        var nickname: String?
    }

    @Test("map and compactMap transform the value, with a closure or a key path")
    func map() async throws {
        #expect(try await Promise.value(2).map { "\($0)" }.value == "2")
        let (person, nicknamed) = (Promise.value(Person()), Promise.value(Person(nickname: "A")))
        #expect(try await person.map(\.name).value == "Ada")
        #expect(try await person.map(\.name.count).value == 3)
        #expect(try await person.map(\.nickname).value == nil)
        #expect(try await nicknamed.compactMap(\.nickname).value == "A")
        await #expect(throws: PromiseError.compactMap(type: "String")) {
            try await person.compactMap(\.nickname).value
        }
    }

    @Test("map passes an error on without calling its closure, and asVoid keeps it")
    func errorPasses() async throws {
        let failed = Promise<Int>(error: Fault.one)
        await #expect(throws: Fault.one) { try await failed.map { Issue.record("got \($0)") }.value }
        await #expect(throws: Fault.one) { try await failed.asVoid().value }
        try await Promise.value(1).asVoid().value
    }

    @Test("map and compactMap reject with the error that their closure throws")
    func mapThrows() async {
        let one = Promise.value(1)
        await #expect(throws: Fault.one) { try await one.map { _ -> Int in throw Fault.one }.value }
        await #expect(throws: Fault.two) { try await one.compactMap { _ -> Int? in throw Fault.two }.value }
    }

    @Test("compactMap unwraps one level, rejects if the result is nil, and the error names the missing type")
    func compactMapNil() async throws {
        #expect(try await Promise.value(1).compactMap { _ in Int??.some(.none) }.value == nil)
        let error = try #require(await Promise.value("x").compactMap { Int($0) }.failure())
        #expect(error as? PromiseError == .compactMap(type: "Int"))
        #expect("\(error)" == "compactMap found no Int in the value.")
        #expect(error.localizedDescription == "compactMap found no Int in the value.")
    }
}
