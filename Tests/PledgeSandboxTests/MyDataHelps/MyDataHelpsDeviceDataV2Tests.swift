import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeSandbox

@Suite("Version 2 of device data in the MyDataHelps sandbox", .serialized)
final class MyDataHelpsDeviceDataV2Tests: MyDataHelpsSuite {
    private func ask(_ query: String) throws -> ResponseBytes {
        let path = "/api/v2/administration/projects/\(sandbox.projectID)/devicedatapoints\(query)"
        return try exchange("GET", path, as: "Bearer \(serviceToken())")
    }

    private func points(_ query: String) throws -> [ServerJSON] {
        try ask("?\(query)").json["deviceDataPoints"].array ?? []
    }

    @Test("Sandboxes with the same clock send the same points of version 2, byte for byte")
    func deterministic() throws {
        let other = try MyDataHelpsDeviceDataV2Tests()
        var shown = ""
        for type in DeviceDataV2.types where type.isEnabled {
            let query = "?namespace=\(type.namespace)&type=\(type.type)&limit="
            #expect(try ask(query + "9").body == other.ask(query + "9").body, "\(query)")
            shown += try items(ask(query + "2").body)
        }
        try Outputs.expect(shown, in: "device data of version 2")
    }

    @Test("Each namespace of version 2 has dates and numbers in the same fields as in the service")
    func forms() throws {
        let steps = try points("namespace=GoogleHealth&type=steps-daily&limit=1")[0]
        #expect(steps["startDate"] == "2024-03-01T00:00:00" && steps["observationDate"] == "2024-03-02T00:00:00")
        #expect(steps["startDateOffset"] == "01:00:00" && steps["value"].string.flatMap(Int.init) != nil)
        let stage = try points("namespace=HealthConnect&type=sleep&limit=1")[0]
        #expect(stage["observationDateOffset"] == .null && stage["dataSource"]["dataOriginPackageName"] != .null)
        let ring = try points("namespace=Oura&type=daily-activity&limit=1")[0]
        #expect(ring["startDate"] == .null && ring["properties"]["steps"].integer ?? 0 > 0)
        #expect(ring["properties"]["contributors"]["recovery_time"] == .null)
    }

    @Test("A query of version 2 needs one namespace, one enabled type, and a service account's token")
    func refusals() throws {
        #expect(try ask("?namespace=Oura").status == 400 && ask("?type=sleep").status == 400)
        #expect(try ask("?namespace=Oura&type=sleep,daily-activity").status == 400)
        #expect(try ask("?namespace=HealthConnect&type=weight").status == 400)
        #expect(try ask("?namespace=GoogleHealth&type=steps-daily&observedAfter=soon").status == 400)
        let path = "/api/v2/administration/projects/\(sandbox.projectID)/devicedatapoints?namespace=Oura&type=sleep"
        #expect(try exchange("GET", path, as: "Bearer \(sandbox.token)").status == 401)
    }

    @Test("Version 1 has neither the points nor the types that only version 2 has")
    func version1() throws {
        for namespace in ["GoogleHealth", "HealthConnect", "Oura", "Dexcom"] {
            #expect(try get("devicedata?namespace=\(namespace)").status == 400)
            #expect(try administration("devicedatapoints/alldatatypes?namespace=\(namespace)").json.count == 0)
        }
        let listed = try get("datacollectionsettings").json["queryableDeviceDataTypes"].array ?? []
        #expect(Set(listed.map { $0["namespace"] }) == ["Fitbit", "AppleHealth"])
    }

    @Test("Date filters compare the participant's local time, or the instant if a test asks for that")
    func clocks() throws {
        func count() throws -> Int {
            let range = "observedAfter=2024-02-29T23:00:00Z&observedBefore=2024-03-01T12:00:00.000Z"
            return try points("namespace=GoogleHealth&type=steps-daily&\(range)").count
        }
        // The value of February 29 is observed at midnight of the participant's local time, which is 23:00 in UTC.
        #expect(try count() == 1)
        sandbox.compareInstants()
        #expect(try count() == 0)
    }

    @Test("If a study moves from Fitbit to Google Health on a day, every day has data from exactly one of them")
    func move() throws {
        sandbox.moveFromFitbitToGoogleHealth(on: "2024-02-01")
        let old = try get("devicedata?namespace=Fitbit&type=Steps").json["deviceDataPoints"].array ?? []
        let new = try points("namespace=GoogleHealth&type=steps-daily")
        let oldDays = old.compactMap { $0["observationDate"].string?.prefix(10) }
        let newDays = new.compactMap { $0["startDate"].string?.prefix(10) }
        #expect(oldDays.first == "2024-01-31" && newDays.last == "2024-02-01" && newDays.first == "2024-03-01")
        #expect(Set(oldDays).isDisjoint(with: newDays) && oldDays.count + newDays.count == 60)
    }

    @Test("A point that a test adds replaces one with the same number, belongs to one participant, and can be removed")
    func changes() throws {
        func mine(_ participant: String) throws -> [ServerJSON] {
            try points("namespace=Oura&type=sleep&participantIdentifier=\(escaped(participant))").filter {
                $0["value"].string?.hasPrefix("new") == true
            }
        }
        for value in ["new 1", "new 2"] {
            sandbox.putPointV2(
                1, of: "ÅRE-1003", namespace: "Oura", type: "sleep", value: value, day: "2024-02-20",
                modified: Self.noon)
        }
        #expect(try mine("ÅRE-1003").map { $0["value"] } == ["new 2"] && mine("ÅRE-1006").isEmpty)
        sandbox.removePointV2(1, of: "ÅRE-1003")
        #expect(try mine("ÅRE-1003").isEmpty)
    }
}
