import ExistKit
import Foundation
import Testing

@Suite("Documentation samples: updating and incrementing values", .serialized)
struct UpdateSampleTests {
    private let exist: SandboxCase
    init() throws { exist = try SandboxCase() }

    @Test("An integer, a decimal, a text, and a tag are stored")
    func update() async throws {
        try exist.answer("POST /api/2/attributes/update/", sample: "update_200")
        let (first, second) = (try day("2024-03-01"), try day("2024-03-02"))
        let note = "Naïve café — \"quotes\" & emoji 🎈"

        let reply = try await exist.existAPI.update(attributes: [
            IntAttributeUpdate(name: "pages_read", day: first, value: 42),
            FloatAttributeUpdate(name: "weight", day: second, value: 64.8),
            StringAttributeUpdate(name: "mood_note", day: second, value: note),
            IntAttributeUpdate(name: "guitar", day: second, value: 1),
        ]).value.attributeResponse

        #expect(try exist.lastBody == sent("update_request"))
        #expect(reply.failed.isEmpty)
        #expect(reply.success.map(\.name) == ["pages_read", "weight", "mood_note", "guitar"])
        #expect(reply.success.map(\.day) == [first, second, second, second])
        #expect(reply.success.map(\.value) == [.integer(42), .decimal(64.8), .text(note), .integer(1)])
    }

    @Test("Failures without a value, a day, or a name are matched to the items that were sent")
    func updatePart() async throws {
        try exist.answer("POST /api/2/attributes/update/", sample: "update_202")
        let (first, second) = (try day("2024-03-01"), try day("2024-03-02"))

        let reply = try await exist.existAPI.update(attributes: [
            IntAttributeUpdate(name: "pages_read", day: first, value: 42),
            IntAttributeUpdate(name: "mood", day: first, value: 5),
            StringAttributeUpdate(name: "steps", day: second, value: "many"),
            IntAttributeUpdate(name: "floors", day: second, value: 3),
            FloatAttributeUpdate(name: "weight", day: second, value: 64.8),
        ]).value.attributeResponse

        #expect(reply.success.map(\.name) == ["pages_read"] && reply.success.first?.value?.int == 42)
        #expect(reply.failed.map(\.index) == [1, 2, 3, 4])
        #expect(reply.failed.map(\.name) == ["mood", "steps", "floors", "weight"])
        #expect(reply.failed.map(\.day) == [first, second, second, second])
        #expect(reply.failed.map(\.value) == [.integer(5), .text("many"), .integer(3), .decimal(64.8)])
        #expect(reply.failed.map(\.errorCode) == [.missingField, .validation, .missingField, .unauthorised])
        #expect(reply.failed[2].error == "Object at index 3 missing field(s) 'name','date'")
        #expect(reply.unreadable.isEmpty)
    }

    @Test("Totals of today and of another day are incremented")
    func increment() async throws {
        try exist.answer("POST /api/2/attributes/increment/", sample: "increment_200")

        let reply = try await exist.existAPI.increment(attributes: [
            AttributeIncrement(name: "pages_read", by: 1),
            AttributeIncrement(name: "steps_distance", by: 0.75, day: try day("2024-03-01")),
        ]).value.attributeResponse

        #expect(try exist.lastBody == sent("increment_request"))
        #expect(reply.success.map(\.current) == [.integer(43), .decimal(7.12)])
        #expect(reply.success.map(\.day?.description) == [nil, "2024-03-01"])
        #expect(reply.success.map(\.value) == [.integer(1), .decimal(0.75)])
    }

    @Test("Partly failed increments decode, even if an integer is returned as a decimal")
    func incrementPart() async throws {
        try exist.answer("POST /api/2/attributes/increment/", sample: "increment_202")

        let reply = try await exist.existAPI.increment(attributes: [
            AttributeIncrement(name: "mood", by: 1), AttributeIncrement(name: "pages_read", by: 1),
            AttributeIncrement(name: "meditation_min", by: 2.5),
        ]).value.attributeResponse

        #expect(reply.success.map(\.name) == ["pages_read"] && reply.success.first?.current?.int == 44)
        #expect(reply.failed.map(\.name) == ["mood", "meditation_min"])
        #expect(reply.failed.map(\.index) == [0, 2])
        #expect(reply.failed.map(\.value) == [.integer(1), .decimal(2.5)])
        #expect(reply.failed.map(\.error) == ["Cannot increment a scale", "Cannot apply a float to an integer type"])
    }

    @Test("A write in which everything failed decodes, and so does a response without a list of failures")
    func extremes() async throws {
        try exist.answer("POST /api/2/attributes/update/", sample: "write_202_all_failed")
        try exist.answer("POST /api/2/attributes/release/", sample: "write_200_missing_arrays")
        let weight = FloatAttributeUpdate(name: "weight", day: try day("2024-03-02"), value: 64.8)

        let failed = try await exist.existAPI.update(attributes: [weight]).value.attributeResponse
        let released = try await exist.existAPI.release(names: ["weight"]).value.attributeResponse

        #expect(failed.success.isEmpty && failed.failed.map(\.errorCode) == [.unauthorised])
        #expect(failed.failed.first?.value == .decimal(64.8) && failed.failed.first?.day == weight.day)
        #expect(released.success.map(\.name) == ["weight"] && released.failed.isEmpty)
    }
}
