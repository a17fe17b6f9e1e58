import Foundation
import Testing

@testable import PledgeSandbox

@Suite("Writing to the Exist sandbox", .serialized)
final class ExistWritingTests: ExistSuite {
    override init() throws {
        try super.init()
        let names: [ServerJSON] = [
            "steps", "weight", "mood_note", "sleep", "sleep_end", "body_fat", "sleep_start", "guitar", "mood",
        ].map { ["name": $0] }
        try post("attributes/acquire/", .array(names))
    }

    private func value(_ name: String, on day: String) throws -> ServerJSON {
        try results("attributes/with-values/?attributes=\(name)&date_max=\(day)")[0]["values"][0]["value"]
    }

    @Test("A stored value can be read back from every list")
    func update() throws {
        let note = "Naïve café — \"quotes\" & emoji 🎈"
        let items: ServerJSON = [
            ["name": "steps", "date": "2024-03-01", "value": 12_345],
            ["name": "weight", "date": "2024-03-02", "value": 64.8],
            ["name": "mood_note", "date": "2024-03-02", "value": .string(note)],
            ["name": "guitar", "date": "2024-03-02", "value": true],
            ["name": "guitar", "date": "2024-03-01", "value": false],
            ["name": "steps", "date": "2019-01-01", "value": 7],
        ]
        let response = try post("attributes/update/", items)
        #expect(response.status == 200 && response.json == ["success": items, "failed": []])
        #expect(try value("steps", on: "2024-03-01") == 12_345 && value("weight", on: "2024-03-02") == 64.8)
        #expect(try value("mood_note", on: "2024-03-02") == .string(note) && value("guitar", on: "2024-03-02") == 1)
        #expect(try value("guitar", on: "2024-03-01") == 0)
        let history = try get("attributes/values/?attribute=steps&date_max=2019-01-02").json
        #expect(history["results"] == [["date": "2019-01-02", "value": nil], ["date": "2019-01-01", "value": 7]])
    }

    @Test("Valid items of a batch are stored, and invalid ones are reported")
    func partly() throws {
        let response = try post(
            "attributes/update/",
            [
                ["name": "steps", "date": "2024-03-01", "value": 1], ["name": "mood", "date": "2024-03-01"],
                ["value": 64.8], ["name": "events", "date": "2024-03-02", "value": 1],
                ["name": "none", "date": "2024-03-02", "value": 1],
                ["name": "steps", "date": "1 March", "value": 1], ["name": "steps", "date": "2024-03-04", "value": 1],
            ])
        #expect(response.status == 202 && response.json["success"].count == 1)
        let failed = response.json["failed"]
        #expect(failed[0]["error"] == "Object at index 1 missing field(s) 'value'")
        #expect(failed[1]["error"] == "Object at index 2 missing field(s) 'name','date'")
        #expect(failed[2]["error"] == "Attribute 'events' does not belong to this service" && failed[2]["value"] == 1)
        #expect(failed.array?.dropFirst(3).map { $0["error_code"] } == ["not_found", "validation", "validation"])
        #expect(try value("steps", on: "2024-03-01") == 1)
    }

    @Test(
        "A value is accepted only if it fits the type of its attribute",
        arguments: [
            ("steps", 5, nil), ("steps", 2.5, "Cannot apply a float to an integer type"),
            ("steps", "many", "Value is not an integer"), ("steps", nil, "Value is not an integer"),
            ("weight", 65, nil), ("weight", 64.8, nil), ("weight", "64.8", "Value is not a number"),
            ("mood_note", "", nil), ("mood_note", 5, "Value is not a string"),
            ("sleep", 480, nil), ("sleep", 7.5, "Cannot apply a float to an integer type"),
            ("sleep_end", 431, nil), ("sleep_end", "07:11", "Value is not an integer"),
            ("body_fat", 0.214, nil), ("body_fat", 0, nil), ("body_fat", true, "Value is not a number"),
            ("sleep_start", 655, nil), ("sleep_start", 655.5, "Cannot apply a float to an integer type"),
            ("guitar", 1, nil), ("guitar", 0, nil), ("guitar", 2, "Value is not a boolean"),
            ("mood", 9, nil), ("mood", 6.5, "Cannot apply a float to an integer type"),
        ] as [(String, ServerJSON, String?)])
    func validation(name: String, value: ServerJSON, error: String?) throws {
        let response = try post("attributes/update/", [["name": .string(name), "date": "2024-03-02", "value": value]])
        #expect(response.status == (error == nil ? 200 : 202))
        #expect(response.json["failed"][0]["error"].string == error)
        if error == nil { #expect(try self.value(name, on: "2024-03-02") == value) }
    }

    @Test("An increment is added to the current value of its day, or of today if no day is given")
    func increment() throws {
        let before = try #require(try value("steps", on: "2024-03-02").integer)
        let response = try post(
            "attributes/increment/",
            [
                ["name": "steps", "value": 5], ["name": "steps", "value": 6],
                ["name": "weight", "date": "2024-03-04", "value": 0.5],
                ["name": "weight", "date": "2022-05-01", "value": 0.5],
                ["name": "weight", "date": "2022-05-01", "value": 0.25], ["name": "sleep", "value": 2.5],
                ["name": "mood", "value": 1], ["name": "sleep_end", "value": 1], ["name": "mood_note", "value": "x"],
                ["name": "guitar", "value": 1], ["name": "steps", "value": .integer(.max)], ["name": "steps"],
            ])
        let success: ServerJSON = [
            ["name": "steps", "value": 5, "current": .integer(before + 5)],
            ["name": "steps", "value": 6, "current": .integer(before + 11)],
            ["name": "weight", "date": "2022-05-01", "value": 0.5, "current": 0.5],
            ["name": "weight", "date": "2022-05-01", "value": 0.25, "current": 0.75],
        ]
        #expect(response.status == 202 && response.json["success"] == success)
        #expect(try value("steps", on: "2024-03-02") == .integer(before + 11))
        let errors: [ServerJSON] = [
            "Date is in the future", "Cannot apply a float to an integer type", "Cannot increment a scale",
            "Cannot increment a time of day", "Cannot increment a string", "Cannot increment a boolean",
            "Value is too large", "Object at index 11 missing field(s) 'value'",
        ]
        #expect(response.json["failed"].array?.map { $0["error"] } == errors)
        let tomorrow = try post("attributes/increment/", [["name": "weight", "date": "2024-03-03", "value": 0.5]])
        #expect(tomorrow.json["failed"] == [])
    }

    @Test(
        "A write request accepts a list of at most 35 objects",
        arguments: ["acquire", "release", "create", "update", "increment"])
    func batches(name: String) throws {
        let path = "attributes/\(name)/"
        let item: ServerJSON = ["name": "steps", "date": "2024-03-01", "value": 1]
        let single = try post(path, item)
        #expect(single.status == 400 && single.json["error_code"] == "invalid")
        #expect(try post(path, .array(Array(repeating: item, count: 36))).status == 400)
        #expect(try post(path, .array(Array(repeating: item, count: 35))).status != 400)
        #expect(try post(path, []).json == ["success": [], "failed": []])
        let type = "application/json"
        let broken = try exchange("POST", "/api/2/\(path)", as: "Bearer \(sandbox.token)", "[{", type: type)
        #expect(broken.status == 400)
    }
}
