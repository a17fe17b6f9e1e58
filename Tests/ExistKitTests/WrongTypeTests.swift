import ExistKit
import Foundation
import Testing

@Suite("Fields that nothing depends on")
struct WrongTypeTests {
    @Test("A wrong type in a label, a group, or a service doesn't make the attribute or its values unreadable")
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
        #expect(bare.group == AttributeGroup(name: "") && bare.service == nil && bare.valueType == .unknown(-1))
        let odd: Attribute = try decode(#"{"name": 7, "priority": "12", "value_type": "0", "values": "none"}"#)
        #expect(odd.name == "7" && odd.priority == 12 && odd.valueType == .int && odd.unreadableValues.count == 1)
    }

    @Test("A model created with defaults equals one decoded from the usual fields")
    func usual() throws {
        let json = #"{"name": "a", "group": "g", "value_type": 0, "active": true, "priority": 1}"#
        let (attribute, template) = (try decode(Attribute.self, json), try decode(AttributeTemplate.self, json))
        #expect(attribute == Attribute(name: "a", group: AttributeGroup(name: "g"), valueType: .int))
        #expect(template == AttributeTemplate(name: "a", group: AttributeGroup(name: "g"), valueType: .int))
        #expect(try decode(User.self, #"{"username": "a", "timezone": "UTC"}"#) == User(username: "a"))
        let user = User(username: "a", localTime: SandboxCase.noon, utcOffset: 3600)
        #expect(user.localTime == SandboxCase.noon && user.utcOffset == 3600)
        let weekdays = Dictionary(zip(ExistDay.Weekday.allCases, [1.0, 2, 3, 4, 5, 6, 7])) { $1 }
        let average = Average(attribute: "a", day: try day("2024-03-01"), overall: nil, weekdays: weekdays)
        for (weekday, value) in weekdays { #expect(average[weekday] == value) }
    }

    @Test("An optional field with an unreadable value is reported with its item; an absent or empty field isn't")
    func reported() async throws {
        let exist = try SandboxCase()
        exist.answer(
            "GET /api/2/attributes/",
            """
            {"count": 3, "next": "", "previous": "",
             "results": [{"name": "a", "active": ""}, {"name": "b", "active": "perhaps", "priority": []}, {"name": "c"}]}
            """)
        let insights = ["", "soon"].map {
            #"{"created": "2024-03-02T06:05:11Z", "type": {"name": "x"}, "target_date": "\#($0)"}"#
        }
        exist.answer("GET /api/2/insights/", #"{"results": [\#(insights.joined(separator: ", "))]}"#)
        let attributes = try await exist.existAPI.all(.attributes()).value.items
        _ = try await exist.existAPI.insights().value
        #expect(attributes.map(\.name) == ["a", "b", "c"])
        #expect(
            exist.unreadable.all == [
                "attributes/ item 1: active is not of the expected form", "attributes/ item 1: priority is not Int",
                "insights/ item 1: target_date is not of the expected form",
            ])
    }

    @Test("A time without a UTC offset has the offset nil, and not 0 as in UTC")
    func offset() throws {
        func user(_ time: String) throws -> User {
            try decode(#"{"username": "u", "timezone": "Europe/Stockholm", "local_time": "\#(time)"}"#)
        }
        #expect(try user("2024-03-02T23:30:00").utcOffset == nil)
        let sent = String(decoding: try JSONEncoder().encode(user("2024-03-02T23:30:00")), as: UTF8.self)
        #expect(sent.contains(#""2024-03-02T23:30:00""#))
        // The service documents such times as UTC. At 23:30 in UTC, it is already the next day in Stockholm.
        #expect(try user("2024-03-02T23:30:00").today == day("2024-03-03"))
        #expect(try user("2024-03-02T23:30:00Z").utcOffset == 0)
        #expect(try user("2024-03-02T23:30:00+01:00").utcOffset == 3600)
        // An offset of up to 18 hours determines the day. If the offset is larger, the named time zone determines the
        // day.
        for (time, local) in [("05:30+18:00", 2), ("05:30+18:01", 1), ("23:30-18:00", 2), ("23:30-18:01", 3)] {
            #expect(try user("2024-03-02T\(time)").today == day("2024-03-0\(local)"), "\(time)")
        }
    }
}
