import ExistKit
import Foundation
import PledgeTestSupport
import Testing

/// Checks that the defects of the older Exist client don't return. Each title begins with the number of the defect in
/// the list of that client's defects.
///
/// Other suites check the other defects: `TransportTests` 4, `DayPropertyTests` 6 and 7, `WriteSampleTests` 8 and 11 to
/// 13, `UnitTests` 9 and 10, `PageTests` 14 and 18, the samples 15 and 16, `UpdateTests` 17, and `ExistEndpointTests`
/// 21 to 24.
@Suite("Defects of the older client", .serialized)
struct OlderClientDefectTests {
    private let exist: SandboxCase
    init() throws { exist = try SandboxCase() }

    @Test(
        "1, 2: The limit, the page, and both dates of a query reach the service, and the last day isn't sent as the first day"
    )
    @available(*, deprecated)
    func parametersAreSent() async throws {
        let zone = SandboxCase.zone
        let (first, last) = (try day("2024-02-01").date(in: zone), try day("2024-02-20").date(in: zone))
        _ = try await exist.existAPI.attributes(names: ["steps"], minDate: first, maxDate: last).value
        _ = try await exist.existAPI.insights(limit: 3, pageIndex: 2, minDate: first, maxDate: last).value
        _ = try await exist.existAPI.averages(limit: 4, pageIndex: 1, minDate: first, maxDate: last).value
        _ = try await exist.existAPI.correlations(limit: 2, pageIndex: 1).value
        #expect(
            exist.targets == [
                "GET /api/2/attributes/with-values/?attributes=steps&days=20&date_max=2024-02-20&page=1&limit=100",
                "GET /api/2/insights/?date_min=2024-02-01&date_max=2024-02-20&page=2&limit=3",
                "GET /api/2/averages/?date_min=2024-02-01&date_max=2024-02-20&page=1&limit=4",
                "GET /api/2/correlations/?page=1&limit=2",
            ])
    }

    @Test(
        "3: The client filters correlations by date, because the service has only the latest ones and can't filter them"
    )
    @available(*, deprecated)
    func correlationDates() async throws {
        let zone = SandboxCase.zone
        let all = try await exist.existAPI.correlations(latest: true).value.correlations
        let later = try await exist.existAPI.correlations(minDate: try day("2024-03-02").date(in: zone)).value
            .correlations
        #expect(!all.isEmpty)
        #expect(later.isEmpty)
    }

    @Test("5: The library prints nothing, and its log entry for an unreadable item contains none of the item's values")
    func quiet() async throws {
        for module in ["Pledge", "PledgeHTTP", "PledgeCoding", "ExistKit"] {
            for path in Repository.paths(below: "Sources/\(module)", ending: ".swift") {
                let lines = try Repository.text("Sources/\(module)/\(path)").split(separator: "\n")
                let printing = lines.filter { !$0.contains("//") && ($0.contains("print(") || $0.contains("dump(")) }
                #expect(printing.isEmpty, "\(path)")
            }
        }
        let log = LogCapture.shared
        exist.answer(
            "GET /api/2/averages/", #"{"count": 1, "results": [{"attribute": "quiet", "date": "my-secret-day"}]}"#)
        _ = try await ExistAPI(token: exist.sandbox.token, timeout: 600, baseURL: exist.sandbox.baseURL).averages()
            .value
        #expect(log.lines(containing: "left out of averages").contains { $0.contains("date is not of the expected") })
        #expect(log.lines(containing: "my-secret-day").isEmpty)
    }

    @Test(
        "19: A number that JSON can't represent is an error, and nothing is sent", arguments: [Double.nan, .infinity])
    func unsendable(value: Double) async throws {
        let error = await thrown(ExistError.self) {
            let update = FloatAttributeUpdate(name: "weight", day: try day("2024-03-01"), value: value)
            return try await exist.existAPI.update(attributes: [update]).value
        }
        #expect(error?.kind == .invalidArgument)
        #expect(exist.targets.isEmpty)
    }

    @Test("20: A value for tomorrow is sent, because only the service knows which day it is for the user")
    func tomorrow() async throws {
        let tomorrow = try day("2024-03-03")
        _ = try await exist.existAPI.update(attributes: [IntAttributeUpdate(name: "mood", day: tomorrow, value: 5)])
            .value
        let sent = exist.sandbox.server.requests.last.map { String(decoding: $0.body, as: UTF8.self) }
        #expect(sent?.contains("2024-03-03") == true)
    }

    @Test("25: An unreadable value is reported and doesn't affect other values")
    func brokenValue() async throws {
        exist.answer(
            "GET /api/2/attributes/with-values/",
            """
            {"count": 3, "next": null, "results": [
              {"name": "a", "value_type": 0, "values": [{"date": "2024-03-02", "value": {}}, {"date": "2024-03-01", "value": 3}]},
              {"label": "no name"},
              {"name": "b", "value_type": 0, "values": [{"date": "2024-02-30", "value": 1}, {"date": "2024-02-29", "value": 1}]}]}
            """)

        let attributes = try await exist.existAPI.attributes().value.attributes

        #expect(attributes.map(\.name) == ["a", "b"])
        #expect(
            exist.unreadable.all == [
                "attributes/with-values/ item 1: name is missing",
                "attributes/with-values/ (a) item 0: value is not Double",
                "attributes/with-values/ (b) item 0: date is not of the expected form",
            ])
    }
}
