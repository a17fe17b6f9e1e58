import Pledge
import PledgeTestSupport
import Testing

@Suite("map and compactMap")
struct MapTests {
    private struct Person: Sendable {
        var name = "Ada"
        var nickname: String?
    }

    @Test("`map` and `compactMap` accept a key path")
    func keyPaths() async throws {
        let (person, nicknamed) = (Promise.value(Person()), Promise.value(Person(nickname: "A")))
        #expect(try await person.map(\.name.count).value == 3)
        #expect(try await person.map(\.nickname).value == nil)
        #expect(try await nicknamed.compactMap(\.nickname).value == "A")
        await #expect(throws: PromiseError.compactMap(type: "String")) { try await person.compactMap(\.nickname).value }
    }

    @Test("`compactMap` unwraps one optional level, and rejects a nil result with an error that names the type")
    func compactMapNil() async throws {
        #expect(try await Promise.value(1).compactMap { _ in Int??.some(.none) }.value == nil)
        let error = try #require(await Promise.value("x").compactMap { Int($0) }.failure())
        #expect(error as? PromiseError == .compactMap(type: "Int"))
        #expect("\(error)" == "compactMap found no Int in the value." && error.localizedDescription == "\(error)")
    }
}
