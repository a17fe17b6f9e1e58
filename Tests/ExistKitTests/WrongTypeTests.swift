import ExistKit
import Foundation
import Testing

@Suite("A wrong type in what nothing depends on")
struct WrongTypeTests {
    @Test("Labels, a group, and services lose no attribute, and its values are kept")
    func attribute() throws {
        let attribute: Attribute = try decode(
            """
            {"name": "a", "label": true, "template": [], "priority": "12", "value_type": 0, "value_type_description": {},
             "group": {"name": "g", "label": {}, "priority": true}, "service": {"name": "s", "label": 7}, "active": "",
             "available_services": [null, {"name": "x"}, [], {"label": "y"}], "values": [{"date": "2024-03-01", "value": 5}]}
            """)
        #expect(attribute.label == "a" && attribute.template == nil && attribute.active == nil)
        #expect(attribute.group == AttributeGroup(name: "g") && attribute.service == "s")
        #expect(attribute.serviceInfo?.label == "7" && attribute.availableServices == [AttributeService(name: "x")])
        #expect(attribute.values.map(\.value) == [.integer(5)])
        let bare: Attribute = try decode(#"{"name": "a", "group": [], "service": {"label": "S"}}"#)
        #expect(bare.group == AttributeGroup(name: "") && bare.service == nil)
        let odd: Attribute = try decode(#"{"name": 7, "priority": "12", "value_type": "0", "values": "none"}"#)
        #expect(odd.name == "7" && odd.priority == 12 && odd.valueType == .int && odd.unreadableValues.count == 1)
    }

    @Test("A field that counts as missing for its form is reported with its item; one that is missing or empty is not")
    func reported() async throws {
        let exist = try SandboxCase()
        exist.answer(
            "GET /api/2/attributes/",
            """
            {"count": 3, "next": "", "previous": "",
             "results": [{"name": "a", "active": ""}, {"name": "b", "active": "perhaps", "priority": []}, {"name": "c"}]}
            """)
        let notes = Locked<[String]>([])
        let options = ExistAPI.defaultOptions.with {
            $0.onUnreadable = { list, item in notes.withLock { $0.append("\(list) \(item)") } }
        }
        let api = ExistAPI(token: exist.sandbox.token, baseURL: exist.sandbox.baseURL, options: options)

        let insights = ["", "soon"].map {
            #"{"created": "2024-03-02T06:05:11Z", "type": {"name": "x"}, "target_date": "\#($0)"}"#
        }
        exist.answer("GET /api/2/insights/", #"{"results": [\#(insights.joined(separator: ", "))]}"#)

        let attributes = try await api.all(.attributes()).value.items
        _ = try await api.insights().value

        #expect(attributes.map(\.name) == ["a", "b", "c"])
        #expect(
            notes.withLock { $0 } == [
                "attributes/ item 1: active is not of the expected form", "attributes/ item 1: priority is not Int",
                "insights/ item 1: target_date is not of the expected form",
            ])
    }

    @Test("Descriptions lose no correlation, and a sentence's parts stay where they are")
    func correlation() throws {
        let correlation: Correlation = try decode(
            """
            {"date": "2024-02-25", "attribute": "a", "attribute2": "b", "value": 1, "stars": "many", "period": {},
             "p": "0.05", "percentage": [], "rating": "good",
             "second_person": 7, "second_person_elements": ["You", null, 12], "description": [], "occurrence": 1}
            """)
        #expect(correlation.secondPersonElements == ["You", "", "12"])
        #expect(correlation.stars == nil && correlation.secondPerson == "7" && correlation.description == nil)
        #expect(correlation.p == 0.05 && correlation.percentage == nil && correlation.rating == nil)
    }

    @Test("An item that was not written is never lost, whatever the service says of it")
    func failed() throws {
        let result: AttributeUpdateResponse = try decode(
            #"{"success": [], "failed": [{"name": 12, "template": [], "error_code": {}, "error": []}, {"title": 7}]}"#)
        #expect(result.failed.map(\.name) == ["12", "7"] && result.failed.map(\.errorCode) == [.unknown, .unknown])
    }

    @Test("A time without a zone has no offset, rather than that of UTC")
    func offset() throws {
        func user(_ time: String) throws -> User {
            try decode(#"{"username": "u", "timezone": "Europe/Stockholm", "local_time": "\#(time)"}"#)
        }
        #expect(try user("2024-03-02T23:30:00").utcOffset == nil)
        // The service documents such times as UTC, when it is already the next day in Stockholm.
        #expect(try user("2024-03-02T23:30:00").today == day("2024-03-03"))
        #expect(try user("2024-03-02T23:30:00Z").utcOffset == 0)
        #expect(try user("2024-03-02T23:30:00+01:00").utcOffset == 3600)
        // The furthest offsets that a zone may have, and those beyond, for which the named one counts.
        for (time, local) in [("05:30+18:00", 2), ("05:30+18:01", 1), ("23:30-18:00", 2), ("23:30-18:01", 3)] {
            #expect(try user("2024-03-02T\(time)").today == day("2024-03-0\(local)"), "\(time)")
        }
    }

    @Test("Where a type is needed, the reason names the nested element")
    func reason() throws {
        let page: ExistPage<Insight> = try decode(
            #"{"results": [{"created": "2024-03-02T06:05:11Z", "type": {"name": []}}]}"#)
        #expect(page.unreadable.map(\.reason) == ["type.name is not String"])
    }
}
