import Foundation
import MyDataHelpsKit
import PledgeTestSupport
import Testing

@Suite("Storing device data", .serialized)
struct DeviceDataTests {
    private let mdh: MyDataHelpsCase
    init() throws { mdh = try MyDataHelpsCase() }

    private func walk(_ minutes: Int, identifier: String? = "walk-1") -> DeviceDataPointPersistModel {
        DeviceDataPointPersistModel(
            identifier: identifier, type: "Walk", value: "\(minutes)", units: "min",
            properties: ["surface": "snow ❄️", "with,comma": "yes"],
            source: DeviceDataPointSource(identifier: "se.example.walks", properties: ["appVersion": "1.4"]),
            startDate: MyDataHelpsCase.noon.addingTimeInterval(-3600.131), observationDate: MyDataHelpsCase.noon)
    }

    @Test("Points to store are encoded as in the documentation")
    func samples() throws {
        var walk = walk(38, identifier: "walk-2024-03-02")
        walk.startDate = try timestamp("2024-03-02T10:00:00+01:00")
        walk.observationDate = try timestamp("2024-03-02T09:38:00Z")
        let mood = DeviceDataPointPersistModel(identifier: nil, type: "MoodTap", value: "ok")
        let written = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode([walk, mood]))
        #expect(try written == read(JSONValue.self, "devicedata_persist_request"))
        let new = DeviceDataPoint(
            id: .init("a"), namespace: .fitbit, type: "b", value: "1", insertedDate: MyDataHelpsCase.noon)
        #expect(new.modifiedDate == new.insertedDate)
    }

    @Test("If two points can't be told apart, an error names them, and nothing is sent; an empty list sends nothing")
    func ambiguous() async throws {
        try await mdh.session.persistDeviceData([])
        let error = await thrown(MyDataHelpsError.self) {
            try await mdh.session.persistDeviceData([walk(1), walk(2, identifier: "other"), walk(3)])
        }
        #expect(error?.name == "encodingError")
        #expect(error?.description.contains("points 0 and 2, both of type “Walk”") == true)
        #expect(mdh.targets.isEmpty)
    }

    @Test("Points that differ in identifier, type, or a date are distinct for both the kit and the service")
    func naturalKey() async throws {
        let first = walk(1)
        var others = [first, first, first, first, first, first]
        others[0].identifier = "walk-2"
        others[1].type = "Run"
        others[2].startDate = first.startDate?.addingTimeInterval(0.001)
        others[3].observationDate = first.observationDate?.addingTimeInterval(0.001)
        others[4].startDate = nil
        others[5].identifier = nil
        try await mdh.session.persistDeviceData([first] + others)
        try await mdh.session.persistDeviceData([first] + others)
        let stored = try await mdh.session.queryDeviceData(DeviceDataQuery(namespace: .project))
        #expect(stored.count == 7)
    }
}
