import ExistKit
import Foundation
import Testing

@Suite("Writing to Exist")
struct WritingTests {
    @Test("What is acquired and updated is read back")
    func readBack() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        let existAPI = exist.existAPI

        let acquired = try await existAPI.acquire(names: ["mood", "weight"]).value.attributeResponse
        let updated = try await existAPI.update(attributes: [
            IntAttributeUpdate(name: "mood", date: SandboxCase.noon, value: 8, in: exist.existAPIZone),
            FloatAttributeUpdate(name: "weight", day: try day("2024-03-01"), value: 65.8),
        ]).value.attributeResponse
        let read = try await existAPI.attributes(names: ["mood", "weight"]).value.attributes

        #expect(acquired.success.map(\.name) == ["mood", "weight"])
        #expect(acquired.success.allSatisfy { $0.active == true })
        #expect(updated.success.count == 2 && updated.failed.isEmpty)
        let mood = try #require(read.first { $0.name == "mood" }).getIntValues()
        #expect(mood.first { $0.day.description == SandboxCase.today }?.value == 8)
        let weight = try #require(read.first { $0.name == "weight" }).getFloatValues()
        #expect(weight.first { $0.day.description == "2024-03-01" }?.value == 65.8)
    }

    @Test("What the service refuses is a value with a reason, beside what it did")
    func partialFailure() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        _ = try await exist.existAPI.acquire(names: ["mood"]).value

        let (reply, response) = try await exist.existAPI.update(attributes: [
            IntAttributeUpdate(name: "mood", day: try day("2024-03-01"), value: 5),
            IntAttributeUpdate(name: "steps", day: try day("2024-03-01"), value: 3158),
            FloatAttributeUpdate(name: "mood", day: try day("2024-03-01"), value: 5.5),
        ]).value

        #expect(reply.success.map(\.name) == ["mood"])
        #expect(reply.failed.map(\.name) == ["steps", "mood"])
        #expect(reply.failed.map(\.errorCode) == [.unauthorised, .validation])
        #expect(reply.failed.first?.error.contains("does not belong to this service") == true)
        #expect(reply.failed.first?.value?.int == 3158)
        #expect((response as? HTTPURLResponse)?.statusCode == 202)
    }

    @Test("What is released can no longer be written")
    func release() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        _ = try await exist.existAPI.acquire(names: ["mood"]).value

        let released = try await exist.existAPI.release(names: ["mood", "steps"]).value.attributeResponse
        let update = try await exist.existAPI.update(attributes: [
            IntAttributeUpdate(name: "mood", day: try day("2024-03-01"), value: 5)
        ]).value.attributeResponse

        #expect(released.success.map(\.name) == ["mood"])
        #expect(released.failed.map(\.name) == ["steps"])
        #expect(update.failed.map(\.errorCode) == [.unauthorised])
    }

    @Test("Any number of items is sent 35 at a time, in order, over which the replies are merged")
    func chunks() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        _ = try await exist.existAPI.acquire(names: ["mood"]).value
        exist.sandbox.server.resetRequests()
        let today = try day(SandboxCase.today)
        let updates = (0..<80).map { IntAttributeUpdate(name: "mood", day: today.advanced(by: -$0), value: 1 + $0 % 9) }

        let reply = try await exist.existAPI.update(attributes: updates).value.attributeResponse

        #expect(reply.success.map(\.day) == updates.map(\.day))
        let sizes = exist.sandbox.server.requests.map { request -> Int in
            guard case .array(let items)? = request.json else { return -1 }
            return items.count
        }
        #expect(sizes == [35, 35, 10])
    }

    @Test("Nothing to write sends nothing")
    func empty() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }

        let updated = try await exist.existAPI.update(attributes: []).value.attributeResponse
        let acquired = try await exist.existAPI.acquire(names: []).value.attributeResponse

        #expect(updated.success.isEmpty && updated.failed.isEmpty && acquired.success.isEmpty)
        #expect(exist.targets.isEmpty)
    }

    @Test("A batch of which everything failed is a result, also where the service calls it a 400")
    func allFailed() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        exist.answer(
            "POST /api/2/attributes/release/", status: 400,
            #"{"failed": [{"name": "weight", "error_code": "unauthorised", "error": "No"}]}"#)

        let reply = try await exist.existAPI.release(names: ["weight"]).value.attributeResponse

        #expect(reply.success.isEmpty)
        #expect(reply.failed.map(\.name) == ["weight"])
    }

    @Test("A 400 without results is an error with the service's words")
    func refused() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        exist.answer(
            "POST /api/2/attributes/release/", status: 400,
            #"{"error": "Expected a list of objects", "error_code": "invalid"}"#)

        let error = await #expect(throws: ExistError.self) {
            try await exist.existAPI.release(names: ["weight"]).value
        }

        #expect(error?.kind == .rejected)
        #expect(error?.description.contains("Expected a list of objects") == true)
    }

    @Test("The chain of the README acquires, checks and writes")
    func chain() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        let existAPI = exist.existAPI

        let written = try await existAPI.acquire(names: ["weight", "steps"]).then {
            attributeResponse, urlResponse -> Promise<ExistAPI.UpdateReply> in
            guard attributeResponse.failed.isEmpty else { throw PromiseError.cancelled }
            return existAPI.update(attributes: [
                FloatAttributeUpdate(name: "weight", date: SandboxCase.noon, value: 65.8),
                IntAttributeUpdate(name: "steps", date: SandboxCase.noon, value: 3158),
            ])
        }.value.attributeResponse

        #expect(written.success.map(\.name) == ["weight", "steps"])
    }
}

extension SandboxCase {
    var existAPIZone: TimeZone { TimeZone(identifier: "Europe/Stockholm") ?? .gmt }
}
