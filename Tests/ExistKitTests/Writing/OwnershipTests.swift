import ExistKit
import Foundation
import PledgeTestSupport
import Testing

@Suite("Owning and creating attributes", .serialized)
struct OwnershipTests {
    private let exist: SandboxCase
    init() throws { exist = try SandboxCase() }

    @Test("A released attribute can no longer be written")
    func release() async throws {
        _ = try await exist.existAPI.acquire(names: ["mood"]).value

        let released = try await exist.existAPI.release(names: ["mood", "steps"]).value.attributeResponse
        let update = try await exist.existAPI.update(attributes: [
            IntAttributeUpdate(name: "mood", day: try day("2024-03-01"), value: 5)
        ]).value.attributeResponse

        #expect(released.success.map(\.name) == ["mood"])
        #expect(released.failed.map(\.name) == ["steps"])
        #expect(update.failed.map(\.errorCode) == [.unauthorised])
    }

    @Test("Created attributes can be incremented, and a failed increment is never retried automatically")
    func createAndIncrement() async throws {
        let exist = try SandboxCase(retry: RetryRule(firstDelay: 0))
        defer { exist.sandbox.stop() }
        let made = try await exist.existAPI.create([
            .custom(label: "Plants watered 🪴", group: "health", valueType: .int),
            .template("gaming_min", manual: false),
        ]).value.attributeResponse
        let name = try #require(made.success.first?.name)

        let added = try await exist.existAPI.increment(attributes: [
            AttributeIncrement(name: name, by: 2), AttributeIncrement(name: name, by: 3),
        ]).value.attributeResponse
        exist.sandbox.server.script.next(matching: "POST /api/2/attributes/increment/", respond: .empty(503))
        let failure = await thrown(ExistError.self) {
            try await exist.existAPI.increment(attributes: [AttributeIncrement(name: name, by: 1)]).value
        }

        #expect(made.success.count == 2)
        #expect(added.success.map(\.current) == [.integer(2), .integer(5)])
        #expect(failure?.write?.unknown == IndexSet(0..<1))
        #expect(exist.sandbox.server.requests.filter { $0.path.hasSuffix("/increment/") }.count == 2)
    }
}
