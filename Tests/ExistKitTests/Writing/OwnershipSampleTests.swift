import ExistKit
import Foundation
import Testing

@Suite("Documentation samples: acquiring, releasing, and creating attributes", .serialized)
struct OwnershipSampleTests {
    private let exist: SandboxCase
    init() throws { exist = try SandboxCase() }

    @Test("Attributes are acquired by template and by name")
    func acquire() async throws {
        try exist.answer("POST /api/2/attributes/acquire/", sample: "acquire_200")
        let claims: [AttributeClaim] = [.template("pages_read", manual: false), .name("kombucha")]

        let reply = try await exist.existAPI.acquire(claims).value.attributeResponse

        #expect(try exist.lastBody == sent("acquire_request"))
        #expect(reply.success.map(\.name) == ["pages_read", "kombucha"])
        #expect(reply.success.map(\.template) == ["pages_read", nil])
        #expect(reply.success.map(\.active) == [true, true] && reply.failed.isEmpty)
    }

    @Test("Attributes that were not acquired decode, whether the service sends a title or only a template")
    func acquirePart() async throws {
        try exist.answer("POST /api/2/attributes/acquire/", sample: "acquire_202")
        let claims: [AttributeClaim] = [.name("mood_note"), .name("stress_level"), .template("weight")]

        let (reply, response) = try await exist.existAPI.acquire(claims).value

        #expect(reply.success.map(\.name) == ["mood_note"] && reply.success.map(\.active) == [true])
        #expect(reply.failed.map(\.name) == ["stress_level", "weight"])
        #expect(reply.failed.map(\.template) == [nil, "weight"])
        #expect(reply.failed.map(\.index) == [1, 2])
        #expect(reply.failed.map(\.errorCode) == [.missingField, .unauthorised])
        #expect(reply.failed.map(\.error) == ["Object at index 1 missing field(s) 'name'", "No health_write scope"])
        #expect((response as? HTTPURLResponse)?.statusCode == 202)
    }

    @Test("A release decodes, whether it succeeds wholly or in part")
    func release() async throws {
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

    @Test("A created tag whose label is returned in lower case is the one that was sent")
    func lowerCase() async throws {
        exist.answer(
            "POST /api/2/attributes/create/",
            #"{"success": [{"label": "nap", "group": "custom", "value_type": 7, "name": "nap"}], "failed": []}"#)
        let nap = NewAttribute.custom(label: "Nap", group: "custom", valueType: .boolean, manual: true)

        let created = try await exist.existAPI.create([nap]).value.attributeResponse

        #expect(created.success.map(\.name) == ["nap"] && created.failed.isEmpty && created.unconfirmed.isEmpty)
    }

    @Test("Created attributes decode, with the group as an object or as a name")
    func create() async throws {
        try exist.answer("POST /api/2/attributes/create/", sample: "create_success_objects_200")
        try exist.answer("POST /api/2/attributes/create/", sample: "create_plain_200")
        let plants = NewAttribute.custom(label: "Plants watered 🪴", group: "custom", valueType: .boolean, manual: true)

        let objects = try await exist.existAPI.create([.template("gaming_min", manual: false), plants]).value
        let body = try exist.lastBody
        let plain = try await exist.existAPI.create([plants]).value.attributeResponse

        #expect(try body == sent("create_request"))
        let made = objects.attributeResponse.success
        #expect(made.map(\.name) == ["gaming_min", "plants_watered"])
        #expect(plain.success.map(\.group) == [AttributeGroup(name: "custom")])
        #expect(plain.success.map(\.label) == ["Plants watered 🪴"])
    }

    @Test("Attributes that already exist and those that cannot be created are reported as failures")
    func createPart() async throws {
        try exist.answer("POST /api/2/attributes/create/", sample: "create_202")

        let reply = try await exist.existAPI.create([
            .custom(label: "Plants watered 🪴", group: "custom", valueType: .boolean),
            .template("gaming_min", manual: false),
            .custom(label: "Nap start", group: "sleep", valueType: .minFromMidday),
        ]).value.attributeResponse

        #expect(reply.success.map(\.name) == ["gaming_min"] && reply.success.map(\.group.name) == ["media"])
        #expect(reply.failed.map(\.label) == ["Plants watered 🪴", "Nap start"])
        #expect(reply.failed.map(\.index) == [0, 2])
        #expect(reply.failed.map(\.errorCode) == [WriteErrorCode(rawValue: "exists"), .validation])
        #expect(reply.failed.last?.error == "Value type 6 cannot be used for new attributes")
    }

    @Test("The lists of items, not the status code, determine what succeeded", arguments: [200, 201, 202, 207])
    func statuses(status: Int) async throws {
        exist.answer("POST /api/2/attributes/create/", status: status, try sample("create_202"))

        let reply = try await exist.existAPI.create([.template("gaming_min")]).value.attributeResponse

        #expect(reply.success.count == 1 && reply.failed.count == 2)
    }
}
