import ExistKit
import Foundation
import Testing

@Suite("The documentation's samples of writes: what we send, and what we make of the answers", .serialized)
struct WriteSampleTests {
    private func sent(_ name: String) throws -> JSONValue { try read(JSONValue.self, name) }

    @Test("Acquiring, by template and by name")
    func acquire() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        try exist.answer("POST /api/2/attributes/acquire/", sample: "acquire_200")
        let claims: [AttributeClaim] = [.template("pages_read", manual: false), .name("kombucha")]

        let reply = try await exist.existAPI.acquire(claims).value.attributeResponse

        #expect(try exist.lastBody == sent("acquire_request"))
        #expect(reply.success.map(\.name) == ["pages_read", "kombucha"])
        #expect(reply.success.map(\.template) == ["pages_read", nil])
        #expect(reply.success.map(\.active) == [true, true] && reply.failed.isEmpty)
    }

    @Test("Acquiring, to be told all about it")
    func acquireObjects() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        try exist.answer("POST /api/2/attributes/acquire/", sample: "acquire_success_objects_200")

        let reply = try await exist.existAPI.acquire([.template("pages_read")], successObjects: true).value
            .attributeResponse

        let attribute = try #require(reply.success.first?.attribute)
        #expect(attribute.label == "Pages read" && attribute.service == "my_tracker" && attribute.valueType == .int)
        #expect(attribute.group == AttributeGroup(name: "media", label: "Media", priority: 7))
        #expect(reply.success.first?.active == true && attribute.availableServices.map(\.label) == ["My Tracker"])
        #expect(exist.targets == ["POST /api/2/attributes/acquire/?success_objects=1"])
    }

    @Test("Acquiring in part: failures that name a title, or only a template")
    func acquirePart() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        try exist.answer("POST /api/2/attributes/acquire/", sample: "acquire_202")
        let claims: [AttributeClaim] = [.name("mood_note"), .name("stress_level"), .template("weight")]

        let (reply, response) = try await exist.existAPI.acquire(claims).value

        #expect(reply.success.map(\.name) == ["mood_note"] && reply.success.map(\.active) == [true])
        #expect(reply.failed.map(\.name) == ["stress_level", "weight"])
        #expect(reply.failed.map(\.template) == [nil, "weight"])
        #expect(reply.failed.map(\.index) == [1, 2])
        #expect(reply.failed.map(\.errorCode) == [.missingField, .unauthorised])
        #expect(
            reply.failed.map(\.error) == ["Object at index 1 missing field(s) 'name'", "No health_write scope"])
        #expect((response as? HTTPURLResponse)?.statusCode == 202)
    }

    @Test("Releasing, wholly and in part")
    func release() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        try exist.answer("POST /api/2/attributes/release/", sample: "release_200")
        try exist.answer("POST /api/2/attributes/release/", sample: "release_202")

        let whole = try await exist.existAPI.release(names: ["pages_read"]).value.attributeResponse
        let part = try await exist.existAPI.release(names: ["pages_read", "weight"]).value.attributeResponse

        #expect(try exist.lastBody == sent("release_request"))
        #expect(whole.success == [SuccessfulAttribute(name: "pages_read")] && whole.failed.isEmpty)
        #expect(part.success.map(\.name) == ["pages_read"])
        #expect(part.failed.map(\.name) == ["weight"] && part.failed.map(\.index) == [1])
        #expect(part.failed.map(\.errorCode) == [.unauthorised])
        #expect(part.failed.map(\.error) == ["Attribute 'weight' does not belong to this service"])
    }

    @Test("Making attributes, whose group comes back as an object or as a name")
    func create() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        try exist.answer("POST /api/2/attributes/create/", sample: "create_success_objects_200")
        try exist.answer("POST /api/2/attributes/create/", sample: "create_plain_200")
        let plants = NewAttribute.custom(
            label: "Plants watered 🪴", group: "custom", valueType: .boolean, manual: true)

        let objects = try await exist.existAPI.create([.template("gaming_min", manual: false), plants]).value
        let body = try exist.lastBody
        let plain = try await exist.existAPI.create([plants]).value.attributeResponse

        #expect(try body == sent("create_request"))
        let made = objects.attributeResponse.success
        #expect(made.map(\.name) == ["gaming_min", "plants_watered"])
        #expect(made.map(\.group.label) == ["Media", "Custom tags"])
        #expect(made.map(\.valueType) == [.periodMin, .boolean] && made.map(\.priority) == [6, 2])
        #expect(made.map(\.template) == ["gaming_min", nil] && made.map(\.manual) == [false, true])
        #expect(plain.success.map(\.name) == ["plants_watered"] && plain.success.map(\.priority) == [2])
        #expect(plain.success.map(\.group) == [AttributeGroup(name: "custom")])
        #expect(plain.success.map(\.label) == ["Plants watered 🪴"])
    }

    @Test("Making attributes in part: what there is already, and what cannot be")
    func createPart() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        try exist.answer("POST /api/2/attributes/create/", sample: "create_202")

        let reply = try await exist.existAPI.create([
            .custom(label: "Plants watered 🪴", group: "custom", valueType: .boolean),
            .template("gaming_min", manual: false),
            .custom(label: "Nap start", group: "sleep", valueType: .minFromMidday),
        ]).value.attributeResponse

        #expect(reply.success.map(\.name) == ["gaming_min"] && reply.success.map(\.group.name) == ["media"])
        #expect(reply.failed.map(\.label) == ["Plants watered 🪴", "Nap start"])
        #expect(reply.failed.map(\.index) == [0, 2])
        #expect(reply.failed.map(\.errorCode) == [BatchErrorCode(rawValue: "exists"), .validation])
        #expect(reply.failed.last?.error == "Value type 6 cannot be used for new attributes")
    }

    @Test("Whatever success is called, the lists decide", arguments: [200, 201, 202, 207])
    func statuses(status: Int) async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        exist.answer("POST /api/2/attributes/create/", status: status, try sample("create_202"))

        let reply = try await exist.existAPI.create([.template("gaming_min")]).value.attributeResponse

        #expect(reply.success.count == 1 && reply.failed.count == 2)
    }

    @Test("Storing a whole number, a decimal, a text and a tag")
    func update() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
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

    @Test("Storing in part: failures without value, without day, without name, and each is found again")
    func updatePart() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
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

    @Test("Adding to totals, today's and another day's")
    func increment() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        try exist.answer("POST /api/2/attributes/increment/", sample: "increment_200")

        let reply = try await exist.existAPI.increment(attributes: [
            AttributeIncrement(name: "pages_read", by: 1),
            AttributeIncrement(name: "steps_distance", by: 0.75, on: try day("2024-03-01")),
        ]).value.attributeResponse

        #expect(try exist.lastBody == sent("increment_request"))
        #expect(reply.success.map(\.current) == [.integer(43), .decimal(7.12)])
        #expect(reply.success.map(\.day?.description) == [nil, "2024-03-01"])
        #expect(reply.success.map(\.value) == [.integer(1), .decimal(0.75)])
    }

    @Test("Adding in part, where the service answers with other numbers than it was sent")
    func incrementPart() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
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

    @Test("A write of which everything failed, and an answer that says nothing of failures")
    func extremes() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
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
