import Foundation
import MyDataHelpsKit
import PledgeTestSupport
import Testing

@Suite("Version 2 of device data", .serialized)
struct DeviceDataV2Tests {
    private let mdh: MyDataHelpsCase
    private let account: ServiceAccount
    init() throws {
        mdh = try MyDataHelpsCase()
        account = ServiceAccount(name: mdh.sandbox.serviceAccount, client: mdh.client) { $0 }
    }

    private func query(
        _ namespace: DeviceDataNamespace, _ type: String, of participant: String? = nil
    ) -> DeviceDataV2Query {
        DeviceDataV2Query(
            project: EndpointCase.project, namespace: namespace, type: type, participantIdentifier: participant)
    }

    private func all(_ query: DeviceDataV2Query) async throws -> [DeviceDataPointV2] {
        try await account.pages(query).items().value
    }

    @Test("A service account lists the enabled types and reads all pages of each")
    func reading() async throws {
        let types = try await account.deviceDataV2Types(in: EndpointCase.project).value
        #expect(types.filter { $0.isEnabled == true }.count == 8 && types.count == 10)
        for type in types where type.isEnabled == true {
            let points = try await all(query(type.namespace, type.type))
            #expect(points.count >= 365 && points.allSatisfy { $0.namespace == type.namespace && $0.type == type.type })
            #expect(Set(points.map(\.id)).count == points.count)
            #expect(Set(points.compactMap { ($0.observationDate ?? $0.startDate)?.day }).count >= 365)
        }
        #expect(mdh.unreadable.all == [])
    }

    @Test("Each participant has different data, with values or properties in the form that each namespace uses")
    func people() async throws {
        let (maya, other) = (query(.googleHealth, "steps-daily"), query(.googleHealth, "steps-daily", of: "ÅRE-1002"))
        let (mine, others) = (try await all(maya), try await all(other))
        #expect(mine.map(\.value) != others.map(\.value))
        #expect(mine.allSatisfy { $0.participantIdentifier == "ÅRE-0042" && $0.participantID != nil })
        let nights = try await all(query(.oura, "sleep"))
        #expect(nights.allSatisfy { if case .integer? = $0.properties["total_sleep_duration"] { true } else { false } })
        let stages = try await all(query(.healthConnect, "sleep"))
        #expect(Set(stages.map(\.value)) == ["STAGE_TYPE_LIGHT", "STAGE_TYPE_DEEP", "STAGE_TYPE_REM"])
        #expect(stages.allSatisfy { $0.observationDate?.date == nil && $0.observationDate?.day.count == 10 })
        #expect(try await all(query(.oura, "sleep", of: "ÅRE-1001")).isEmpty)
    }

    @Test("A type that is disabled or unknown is refused, and version 1 refuses a namespace of version 2")
    func refusals() async throws {
        for (namespace, type) in [
            (DeviceDataNamespace.googleHealth, "heartRate-list"), (.oura, "steps"), (.dexcom, "x"),
        ] {
            let error = await thrown(MyDataHelpsError.self) { try await account.page(query(namespace, type)).value }
            #expect(error?.response?.statusCode == 400)
        }
        let error = await thrown(MyDataHelpsError.self) {
            try await mdh.session.queryDeviceData(DeviceDataQuery(namespace: .googleHealth))
        }
        #expect(error?.response?.statusCode == 400)
    }

    @Test("A page that contains a point of another participant is an error")
    func strangers() async throws {
        mdh.answer("GET /", String(decoding: try sample("devicedata_v2_page1_200"), as: UTF8.self))
        let error = await thrown(MyDataHelpsError.self) {
            try await account.page(query(.googleHealth, "steps-daily", of: "TEST-0008")).value
        }
        #expect(error?.name == "decodingError" && error?.description.contains("another participant") == true)
    }

    @Test("A point belongs to the day on which it ended, or on which it began if it ended at midnight")
    func days() async throws {
        for point in try await all(query(.googleHealth, "steps-daily")) {
            #expect(point.day == point.startDate?.day && point.day != point.observationDate?.day)
        }
        for night in try await all(query(.googleHealth, "sleep-list-session-asleep")) {
            #expect(night.day == night.observationDate?.day)
        }
        for ring in try await all(query(.oura, "daily-activity")) {
            #expect(JSONValue.string(ring.day ?? "") == ring.properties["day"])
        }
    }

    @Test(
        "A time of midnight may have a fraction of zeros",
        arguments: [("00:00:00", 11), ("00:00:00.000", 11), ("00:00:00.001", 12), ("10:00:00", 12)])
    func midnight(time: String, day: Int) {
        let point = DeviceDataPointV2(
            id: .init("p"), namespace: .googleHealth, type: "steps-daily", value: "1",
            startDate: ObservedDate("2026-08-11T00:00:00.000"), observationDate: ObservedDate("2026-08-12T\(time)"),
            insertedDate: Date(timeIntervalSince1970: 0))
        #expect(point.day == "2026-08-\(day)")
    }

    @Test(
        "A list ends at a page without `nextPageID`, and a list that repeats an ID is an error",
        arguments: ["", #","nextPageID":"""#])
    func pages(end: String) async throws {
        mdh.answer("GET /", #"{"deviceDataPoints": [], "nextPageID": "a"}"#)
        mdh.answer("GET /", #"{"deviceDataPoints": []\#(end)}"#)
        #expect(try await all(query(.oura, "sleep")).isEmpty)
        for id in ["a", "b", "a"] { mdh.answer("GET /", #"{"deviceDataPoints": [], "nextPageID": "\#(id)"}"#) }
        let error = await thrown(MyDataHelpsError.self) { try await all(query(.oura, "sleep")) }
        #expect(error?.description.contains("circle") == true)
    }

    @Test(
        "With `observationMargin` at both ends, a range has all points of its days, even if the service compares instants",
        arguments: [false, true])
    func margin(comparesInstants: Bool) async throws {
        if comparesInstants { mdh.sandbox.compareInstants() }
        var steps = query(.googleHealth, "steps-daily")
        steps.observedAfter = try timestamp("2024-02-10T00:00:00Z") - DeviceDataV2Query.observationMargin
        steps.observedBefore = try timestamp("2024-02-13T00:00:00Z") + DeviceDataV2Query.observationMargin
        let days = Set(try await all(steps).compactMap { $0.startDate?.day })
        #expect(days.isSuperset(of: ["2024-02-10", "2024-02-11", "2024-02-12"]) && days.count <= 5)
    }
}

@Suite("Dates by the participant's clock")
struct ObservedDateTests {
    private func point(_ dates: String) throws -> DeviceDataPointV2 {
        try decode(
            DeviceDataPointV2.self,
            """
            {"id": "i", "namespace": "Oura", "type": "t", "value": "1", "insertedDate": "2026-08-11T08:00:00Z",
             "modifiedDate": "2026-08-11T08:00:00Z", \(dates)}
            """)
    }

    @Test(
        "A date always has a local time; it has an instant only if its text or a separate field states a UTC offset",
        arguments: [
            (#""startDate": "2026-08-11T02:10:00""#, "2026-08-11T02:10:00", nil, nil),
            (
                #""startDate": "2026-08-11T02:10:00", "startDateOffset": "02:00:00""#, "2026-08-11T02:10:00", 7_200,
                "2026-08-11T00:10:00Z"
            ),
            (
                #""startDate": "2026-08-11T02:10:00.120450", "startDateOffset": "-05:30:00""#,
                "2026-08-11T02:10:00.120450", -19_800, "2026-08-11T07:40:00.12045Z"
            ),
            (#""startDate": "2026-08-11T02:10:00-07:00""#, "2026-08-11T02:10:00", -25_200, "2026-08-11T09:10:00Z"),
            (
                #""startDate": "2026-08-11T02:10:00-04:00", "startDateOffset": "02:00:00""#, "2026-08-11T02:10:00",
                -14_400, "2026-08-11T06:10:00Z"
            ),
            (#""startDate": "2026-08-11T02:10:00Z""#, "2026-08-11T02:10:00", 0, "2026-08-11T02:10:00Z"),
            (#""startDate": "2026-08-11T02:10:00", "startDateOffset": "soon""#, "2026-08-11T02:10:00", nil, nil),
            (#""startDate": "2026-08-11T02:10:00", "startDateOffset": "24:00:00""#, "2026-08-11T02:10:00", nil, nil),
        ] as [(String, String, Int?, String?)])
    func clocks(dates: String, localTime: String, offset: Int?, instant: String?) throws {
        let date = try #require(try point(dates).startDate)
        #expect(date.localTime == localTime && date.utcOffset == offset && date.day == "2026-08-11")
        #expect(try date.date == instant.map(timestamp))
        let again = try decode(
            DeviceDataPointV2.self, String(decoding: JSONEncoder().encode(point(dates)), as: UTF8.self))
        #expect(again.startDate == date)
    }

    @Test(
        "Text that isn't a date and time with seconds counts as a missing date",
        arguments: ["", "2026-08-11", "2026-08-11T02:10", "2026-02-30T00:00:00", "2026-08-11T24:00:00", "soon"])
    func noDates(text: String) throws {
        #expect(try point(#""startDate": "\#(text)""#).startDate == nil && ObservedDate(text) == nil)
    }

    @Test("A date is described with its offset, which must be less than a day")
    func descriptions() {
        let text = "2026-08-11T02:10:00"
        #expect(ObservedDate(text)?.description == text)
        #expect(ObservedDate(text, utcOffset: 7_200)?.description == "\(text)+02:00")
        #expect(ObservedDate(text, utcOffset: -1)?.description == "\(text)-00:00:01")
        #expect(ObservedDate(text, utcOffset: 86_400) == nil && ObservedDate(text, utcOffset: .min) == nil)
    }
}
