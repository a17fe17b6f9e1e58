import ExistKit
import Foundation
import PledgeHTTP
import PledgeSandbox
import PledgeTestSupport
import Testing

/// The defects of the older Exist client, by their number in the list of its defects; none may return.
@Suite("Defects of the older client", .serialized)
struct OlderClientDefectTests {
    @Test("1, 2: limit, page and dates reach the service, and the last day is not sent as the first")
    @available(*, deprecated)
    func parametersAreSent() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
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

    @Test("3: correlations are filtered by date on the client, since the service cannot and has only the latest")
    @available(*, deprecated)
    func correlationDates() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        let zone = SandboxCase.zone

        let all = try await exist.existAPI.correlations(latest: true).value.correlations
        let later = try await exist.existAPI.correlations(minDate: try day("2024-03-02").date(in: zone)).value
            .correlations

        #expect(!all.isEmpty)
        #expect(later.isEmpty)
    }

    @Test("4: consecutive calls share a connection")
    func oneSession() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }

        let existAPI = ExistAPI(
            token: exist.sandbox.token, timeout: 600, baseURL: exist.sandbox.baseURL,
            options: ExistAPI.defaultOptions.with { $0.transport = StandardTransport() })

        for _ in 0..<5 { _ = try await existAPI.user().value }

        #expect(Set(exist.sandbox.server.requests.map(\.connection)).count == 1)
    }

    @Test("5: the library prints nothing, and its log entry for an unreadable item contains none of its values")
    func quiet() async throws {
        let root = fixtures.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        for module in ["Pledge", "PledgeHTTP", "PledgeCoding", "ExistKit"] {
            let folder = root.appendingPathComponent("Sources/\(module)")
            let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
            for case let file as URL in files where file.pathExtension == "swift" {
                let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
                let printing = lines.filter { !$0.contains("//") && ($0.contains("print(") || $0.contains("dump(")) }
                #expect(printing.isEmpty, "\(file.lastPathComponent)")
            }
        }
        let log = LogCapture.shared
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        exist.answer(
            "GET /api/2/averages/", #"{"count": 1, "results": [{"attribute": "quiet", "date": "my-secret-day"}]}"#)

        _ = try await ExistAPI(token: exist.sandbox.token, timeout: 600, baseURL: exist.sandbox.baseURL).averages()
            .value

        #expect(log.lines(containing: "left out of averages").contains { $0.contains("date is not of the expected") })
        #expect(log.lines(containing: "my-secret-day").isEmpty)
    }

    @Test("6: the last day of a year is sent as the last day of that year")
    func lastDayOfYear() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        let zone = SandboxCase.zone
        _ = try await exist.existAPI.acquire(names: ["mood"]).value

        for year in 2010...2023 {
            let newYearsEve = try day("\(year)-12-31")
            let update = IntAttributeUpdate(name: "mood", date: newYearsEve.date(in: zone), value: 5, in: zone)
            let reply = try await exist.existAPI.update(attributes: [update]).value.attributeResponse
            #expect(reply.success.first?.day?.description == "\(year)-12-31")
        }
    }

    @Test("7: the day that was sent is the day that is read, wherever the device is")
    func dayStaysDay() async throws {
        for zone in ["Pacific/Kiritimati", "America/Los_Angeles", "Asia/Kathmandu", "Pacific/Niue"] {
            let exist = try SandboxCase(zone: zone)
            defer { exist.sandbox.stop() }
            let timeZone = try #require(TimeZone(identifier: zone))
            let sent = ExistDay(SandboxCase.noon, in: timeZone)
            _ = try await exist.existAPI.acquire(names: ["mood"]).value
            _ = try await exist.existAPI.update(attributes: [
                IntAttributeUpdate(name: "mood", date: SandboxCase.noon, value: 9, in: timeZone)
            ]).value

            let read = try await exist.existAPI.attributes(names: ["mood"], days: 1).value.attributes

            let value = try #require(read.first?.values.first)
            #expect(value.day == sent)
            #expect(value.value == .integer(9))
            #expect(ExistDay(value.day.date(in: timeZone), in: timeZone) == sent)
        }
    }

    @Test("8: a decimal is sent without loss of precision")
    func precision() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        _ = try await exist.existAPI.acquire(names: ["weight"]).value
        _ = try await exist.existAPI.update(attributes: [
            FloatAttributeUpdate(name: "weight", day: try day("2024-03-01"), value: 65.8)
        ]).value

        let body = try #require(exist.sandbox.server.requests.last?.body)

        #expect(String(decoding: body, as: UTF8.self) == #"[{"date":"2024-03-01","name":"weight","value":65.8}]"#)
    }

    @Test("9, 10: values of every type are available, and requesting the wrong type is an error, not an empty list")
    func typedValues() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        let names = ["steps", "weight", "mood_note", "sleep", "sleep_end", "body_fat", "sleep_start", "guitar", "mood"]

        let attributes = try await exist.existAPI.attributes(names: names, days: 31).value.attributes

        #expect(attributes.count == names.count)
        for attribute in attributes {
            switch attribute.valueType {
            case .string:
                #expect(try attribute.getStringValues().count == 31)
                #expect(throws: ValueTypeMismatch.self) { try attribute.getIntValues() }
            case .float, .percentage:
                #expect(try attribute.getFloatValues().contains { $0.value != nil })
                #expect(throws: ValueTypeMismatch.self) { try attribute.getIntValues() }
            default:
                #expect(try attribute.getIntValues().contains { $0.value != nil }, "\(attribute.name)")
                #expect(throws: ValueTypeMismatch.self) { try attribute.getStringValues() }
            }
        }
    }

    @Test("11, 12, 13: failed items without a day, value, or name decode, with their codes")
    func sparseFailures() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        exist.answer(
            "POST /api/2/attributes/update/", status: 202,
            """
            {"success": [{"name": "pages_read", "value": 42.0}],
             "failed": [{"name": "mood", "date": "2024-03-01", "error_code": "missing_field", "error": "no value"},
                        {"error_code": "missing_field", "error": "no name"}, {"name": "steps", "value": "many"}]}
            """)

        let reply = try await exist.existAPI.update(attributes: [
            IntAttributeUpdate(name: "pages_read", day: try day("2024-03-01"), value: 42)
        ]).value.attributeResponse

        #expect(reply.success.map(\.name) == ["pages_read"])
        #expect(reply.success.first?.value?.int == 42)
        #expect(reply.failed.map(\.name) == ["mood", nil, "steps"])
        #expect(reply.failed.map(\.errorCode) == [.missingField, .missingField, .unknown])
        #expect(reply.unreadable.isEmpty)
    }

    @Test("14, 18: averages of one attribute are paged, and every page is read")
    func pagedFindings() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        for page in 1...2 {
            exist.answer(
                "GET /api/2/averages/",
                """
                {"count": 2, "next": \(page == 1 ? "\"https://exist.io/?page=2\"" : "null"),
                 "results": [{"user_attribute": "tracks", "date": "2024-02-\(26 - page)", "overall": \(page)}]}
                """)
        }

        let averages = try await exist.existAPI.averages(for: "tracks", includeHistorical: true).value.averages

        #expect(averages.map(\.overall) == [1, 2])
        let pages = exist.sandbox.server.requests.map {
            "\($0.queryValue("attributes") ?? "") \($0.queryValue("page") ?? "")"
        }
        #expect(pages == ["tracks 1", "tracks 2"])
    }

    @Test("15, 16: a profile without an ID, an owner that is an object, and a fractional time stamp decode")
    func newerShapes() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        exist.answer("GET /api/2/accounts/profile/", #"{"username": "owl"}"#)

        let user = try await exist.existAPI.user().value.user
        let attributes = try await exist.existAPI.all(.attributes(names: ["steps"])).value.items
        let insight = try decode(
            Insight.self, #"{"created": "2024-03-01T05:00:00.500000Z", "type": {"name": "x"}}"#)

        #expect(user.username == "owl")
        #expect(attributes.first?.service?.isEmpty == false)
        #expect(insight.created.timeIntervalSince1970 == 1_709_269_200.5)
    }

    @Test("21: each client keeps its own token and address, so two can be used side by side")
    func sideBySide() async throws {
        let (one, other) = (try SandboxCase(), try SandboxCase(token: "wrong"))
        defer {
            one.sandbox.stop()
            other.sandbox.stop()
        }

        let (right, wrong) = await (one.existAPI.user().settled().value, other.existAPI.user().settled().value)

        #expect(throws: Never.self) { try right.get() }
        #expect(throws: ExistError.self) { try wrong.get() }
        #expect(one.sandbox.server.requests.count == 1 && other.sandbox.server.requests.count == 1)
    }

    @Test("24: every model can be created, for an app's tests, and is `Sendable`")
    func models() throws {
        let today = try day(SandboxCase.today)
        let made: [any Sendable] = [
            User(username: "a"), Average(attribute: "a", day: today, overall: 1),
            Correlation(day: today, attribute: "a", attribute2: "b", value: 0.5),
            CorrelationRating(positive: true, rating: "Useful"),
            Insight(
                created: SandboxCase.noon, type: InsightType(name: "a", attribute: InsightAttribute(name: "b")),
                text: ""),
            Attribute(
                name: "a", group: AttributeGroup(name: "b"), valueType: .int, serviceInfo: AttributeService(name: "c")),
            FailedAttribute(name: "a", errorCode: .validation, error: ""), SuccessfulAttribute(name: "a"),
            FailedToUpdateAttribute(name: "a", day: today, value: 1.asValue, errorCode: .unknown, error: ""),
            SuccessfullyUpdatedAttribute(name: "a", day: today, value: nil),
            ExistPage(totalCount: 0, results: [Average]()), AttributeResponse(),
        ]

        #expect(made.count == 12)
    }

    @Test("17: the status codes 202 and 200 can be told apart")
    func partialStatus() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }

        let whole = try await exist.existAPI.acquire(names: ["mood"]).value
        let part = try await exist.existAPI.acquire(names: ["mood", "no_such_attribute"]).value

        #expect((whole.response as? HTTPURLResponse)?.statusCode == 200)
        #expect((part.response as? HTTPURLResponse)?.statusCode == 202)
        #expect(part.attributeResponse.failed.map(\.name) == ["no_such_attribute"])
    }

    @Test(
        "19: a number that JSON cannot represent is an error, and nothing is sent", arguments: [Double.nan, .infinity])
    func unsendable(value: Double) async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }

        let error = await thrown(ExistError.self) {
            let update = FloatAttributeUpdate(name: "weight", day: try day("2024-03-01"), value: value)
            return try await exist.existAPI.update(attributes: [update]).value
        }

        #expect(error?.kind == .invalidArgument)
        #expect(exist.targets.isEmpty)
    }

    @Test("20: a value for tomorrow is sent, because only the service knows which day it is")
    func tomorrow() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        _ = try await exist.existAPI.acquire(names: ["mood"]).value
        let tomorrow = try day(SandboxCase.today).advanced(by: 1)

        _ = try await exist.existAPI.update(attributes: [IntAttributeUpdate(name: "mood", day: tomorrow, value: 5)])
            .value

        #expect(
            exist.sandbox.server.requests.last.map { String(decoding: $0.body, as: UTF8.self) }?.contains("2024-03-03")
                == true)
    }

    @Test("22: names are percent-encoded, so none can add to the query")
    func escaping() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        let names = ["日記", "a&days=31#x", "b,c", "d+e f"]

        _ = try await exist.existAPI.attributes(names: names, days: 1).value

        let request = try #require(exist.sandbox.server.requests.first)
        #expect(request.queryValue("days") == "1")
        #expect(request.queryValue("attributes") == "日記,a&days=31#x,b,c,d+e f")
        #expect(request.target.contains("b%2Cc,d%2Be%20f"))
    }

    @Test("23: only writes have a content type, and nothing is sent that the service does not know")
    func headersAndBodies() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }

        _ = try await exist.existAPI.user().value
        _ = try await exist.existAPI.acquire(names: ["mood"]).value

        let requests = exist.sandbox.server.requests
        #expect(requests[0].headers["Content-Type"] == nil)
        #expect(requests[0].headers["Authorization"] == "Bearer \(exist.sandbox.token)")
        #expect(requests[0].headers["Accept"] == "application/json")
        #expect(requests[1].headers["Content-Type"] == "application/json")
        #expect(String(decoding: requests[1].body, as: UTF8.self) == #"[{"name":"mood"}]"#)
    }

    @Test("25: an unreadable value affects only itself and is reported")
    func brokenValue() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
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
        #expect(attributes[0].values.map(\.value) == [nil, .integer(3)])
        #expect(attributes[0].unreadableValues.map(\.index) == [0])
        #expect(attributes[1].unreadableValues.map(\.description) == ["item 0: date is not of the expected form"])
        #expect(
            exist.unreadable.all == [
                "attributes/with-values item 1: name is missing", "attributes/with-values item 0: value is not Double",
                "attributes/with-values item 0: date is not of the expected form",
            ])
    }
}

extension Int {
    fileprivate var asValue: AttributeValue { .integer(self) }
}
