import Testing

@testable import PledgeSandbox

@Suite("Owning attributes in the Exist sandbox", .serialized)
final class ExistOwnershipTests: ExistSuite {
    override init() throws {
        try super.init()
        sandbox.addToken("rival", client: "rival_app")
    }

    @Test(
        "A client can acquire attributes by template (missing ones are created) or by name, even from another client")
    func acquire() throws {
        let response = try post("attributes/acquire/", [["template": "keystrokes"], ["name": "guitar"]])
        let success: ServerJSON = [
            ["template": "keystrokes", "name": "keystrokes", "active": "true"], ["name": "guitar", "active": "true"],
        ]
        #expect(response.status == 200 && response.json == ["success": success, "failed": []])
        let owned = try get("attributes/owned/").json
        #expect(owned["results"].array?.map { $0["name"] } == ["keystrokes", "guitar"])
        #expect(owned["results"][0]["service"] == ["name": "my_tracker", "label": "My Tracker"])
        #expect(owned["results"].array?.map { $0["manual"] } == [false, true])
        #expect(try results("attributes/?owned=true") == owned["results"].array)
        #expect(try get("attributes/owned/", as: "Bearer rival").json["count"] == 0)
        #expect(try post("attributes/acquire/", [["name": "guitar"]]).status == 200)
        try post("attributes/acquire/", [["name": "guitar"]], as: "Bearer rival")
        let refused = try post("attributes/release/", [["name": "guitar"]])
        let failed: ServerJSON = [
            "name": "guitar", "error_code": "unauthorised",
            "error": "Attribute 'guitar' does not belong to this service",
        ]
        #expect(refused.status == 202 && refused.json["failed"][0] == failed)
    }

    @Test("Attributes that can't be acquired are reported, and the rest are acquired")
    func acquirePartly() throws {
        let response = try post(
            "attributes/acquire/",
            [["name": "mood"], ["title": "stress_level"], ["name": "nothing"], ["template": "guitar"], "steps"])
        #expect(response.status == 202)
        #expect(response.json["success"].array?.map { $0["name"] } == ["mood"])
        let failed = response.json["failed"]
        let first: ServerJSON = [
            "title": "stress_level", "error_code": "missing_field",
            "error": "Object at index 1 missing field(s) 'name'",
        ]
        #expect(failed[0] == first)
        #expect(failed.array?.map { $0["error_code"] } == ["missing_field", "not_found", "not_found", "validation"])
    }

    @Test("On request, the responses to acquiring and creating attributes contain whole objects")
    func successObjects() throws {
        let acquired = try post("attributes/acquire/?success_objects=1", [["template": "steps"]]).json["success"][0]
        #expect(acquired["active"] == true && acquired["group"]["name"] == "activity")
        #expect(acquired["available_services"].count == 4)
        let created = try post("attributes/create/?success_objects=1", [["template": "gaming_min", "manual": false]])
        #expect(created.json["success"][0]["group"]["label"] == "Media")
    }

    @Test("If a test asks for it, values of an inactive attribute are hidden until the attribute is acquired")
    func inactiveValues() throws {
        func status() throws -> Int { try get("attributes/values/?attribute=mastodon_posts").status }
        #expect(try status() == 200)
        sandbox.hidesInactiveValues = true
        #expect(try status() == 404 && get("attributes/values/?attribute=steps").status == 200)
        try post("attributes/acquire/", [["name": "mastodon_posts"]])
        #expect(try status() == 200)
    }

    @Test("A released attribute passes to another service that offers it, or becomes inactive")
    func release() throws {
        try post("attributes/acquire/", [["name": "steps"], ["template": "keystrokes"]])
        let response = try post("attributes/release/", [["name": "steps"], ["name": "keystrokes"]])
        let success: ServerJSON = [
            ["name": "steps", "service": "withings", "active": true],
            ["name": "keystrokes", "service": nil, "active": false],
        ]
        #expect(response.json["success"] == success)
        let lists = try results("attributes/?attributes=steps,keystrokes&include_inactive=1")
        #expect(lists[0]["service"]["name"] == "withings" && lists[1]["active"] == false)
        #expect(try get("attributes/?attributes=keystrokes").json["count"] == 0)
        let again = try post("attributes/release/", [["name": "steps"], [:], ["name": "nothing"]])
        #expect(again.json["failed"].array?.map { $0["error_code"] } == ["unauthorised", "missing_field", "not_found"])
    }

    @Test("A new attribute is named after its label, and cannot be created twice")
    func create() throws {
        let plants: ServerJSON = ["label": "Plants watered 🪴", "group": "custom", "value_type": 7]
        let response = try post(
            "attributes/create/", [plants, ["label": "Älvkväll – 2", "group": "food", "value_type": 1]])
        let created: ServerJSON = [
            "label": "Plants watered 🪴", "group": "custom", "value_type": 7, "manual": true, "name": "plants_watered",
            "priority": 2,
        ]
        #expect(response.status == 200 && response.json["success"][0] == created)
        #expect(response.json["success"][1]["name"] == "älvkväll_2")
        let read = try get("attributes/?attributes=%C3%A4lvkv%C3%A4ll_2,plants_watered").json
        #expect(read["count"] == 2 && read["results"][0]["template"] == .null)
        #expect(try post("attributes/create/", [plants]).json["failed"][0]["error_code"] == "exists")
    }

    @Test("No attribute is created from an invalid description")
    func createRefused() throws {
        let response = try post(
            "attributes/create/",
            [
                ["label": "Nap start", "group": "sleep", "value_type": 6],
                ["label": "x", "group": "none", "value_type": 0],
                ["label": "x", "group": "food", "value_type": 99], ["group": "food"],
                ["label": "🪴", "group": "food", "value_type": 0], ["template": "steps"], ["template": "none"],
                ["label": "x", "group": "custom", "value_type": 3],
            ])
        #expect(response.status == 202)
        let codes = response.json["failed"].array?.compactMap { $0["error_code"].string }.joined(separator: " ")
        #expect(codes == "validation validation validation missing_field validation exists not_found validation")
        #expect(response.json["failed"][0]["error"] == "Value type 6 cannot be used for new attributes")
        #expect(response.json["failed"][3]["error"] == "Object at index 3 missing field(s) 'label','value_type'")
    }
}
