import Pledge
import PledgeTestSupport
import Testing

@Suite("map, compactMap, and asVoid")
struct MapTests {
    private struct Person: Sendable {
        let name: String
        let nickname: String?
    }

    @Test("map transforms the value")
    func map() async throws {
        #expect(try await Promise.value(2).map { "\($0)" }.value == "2")
    }

    @Test("map passes an error on without calling its closure")
    func mapErrorPasses() async {
        let promise = Promise<Int>(error: Fault.one).map { Issue.record("got \($0)") }
        await #expect(throws: Fault.one) { try await promise.value }
    }

    @Test("map and compactMap reject with the error that their closure throws")
    func mapThrows() async {
        let one = Promise.value(1)
        await #expect(throws: Fault.one) { try await one.map { _ -> Int in throw Fault.one }.value }
        await #expect(throws: Fault.two) { try await one.compactMap { _ -> Int? in throw Fault.two }.value }
    }

    @Test("compactMap rejects if the result is nil, and the error names the missing type")
    func compactMapNil() async throws {
        let error = try #require(await Promise.value("x").compactMap { Int($0) }.failure())
        #expect(error as? PromiseError == .compactMap(type: "Int"))
        #expect("\(error)" == "compactMap found no Int in the value.")
        #expect(error.localizedDescription == "compactMap found no Int in the value.")
    }

    @Test("compactMap unwraps only one level")
    func compactMapNested() async throws {
        let promise = Promise.value(1).compactMap { _ in Int??.some(.none) }
        #expect(try await promise.value == nil)
    }

    @Test("asVoid discards the value and keeps the error")
    func asVoid() async throws {
        try await Promise.value(1).asVoid().value
        await #expect(throws: Fault.one) { try await Promise<Int>(error: Fault.one).asVoid().value }
    }

    @Test("map accepts a key path")
    func mapKeyPath() async throws {
        let person = Promise.value(Person(name: "Ada", nickname: nil))
        #expect(try await person.map(\.name).value == "Ada")
        #expect(try await person.map(\.name.count).value == 3)
        #expect(try await person.map(\.nickname).value == nil)
    }

    @Test("compactMap accepts a key path")
    func compactMapKeyPath() async throws {
        #expect(try await Promise.value(Person(name: "Ada", nickname: "A")).compactMap(\.nickname).value == "A")
        let missing = Promise.value(Person(name: "Ada", nickname: nil)).compactMap(\.nickname)
        await #expect(throws: PromiseError.compactMap(type: "String")) { try await missing.value }
    }
}
