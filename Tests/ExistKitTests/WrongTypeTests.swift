import ExistKit
import Foundation
import Testing

@Suite("A wrong type in what nothing depends on")
struct WrongTypeTests {
    @Test("The total and the link to the previous page lose no page", arguments: ["true", #""many""#, "{}", "[1]"])
    func page(_ wrong: String) throws {
        let page: ExistPage<Insight> = try decode(
            """
            {"count": \(wrong), "previous": 7, "next": null,
             "results": [{"created": "2024-03-02T06:05:11Z", "type": {"name": "x"}}]}
            """)
        #expect(page.results.count == 1 && page.totalCount == 1 && page.previous == nil)
    }

    @Test("Labels, priorities and other services lose no attribute, and its values are kept")
    func attribute() throws {
        let attribute: Attribute = try decode(
            """
            {"name": "a", "label": 7, "template": [], "priority": "high", "value_type": 0, "value_type_description": {},
             "group": {"name": "g", "label": {}, "priority": true}, "service": {"name": "s", "label": 7},
             "available_services": [null, {"name": "x"}, 7, {"label": "y"}], "values": [{"date": "2024-03-01", "value": 5}]}
            """)
        #expect(attribute.label == "a" && attribute.template == nil && attribute.priority == 0)
        #expect(attribute.group == AttributeGroup(name: "g") && attribute.service == "s")
        #expect(attribute.availableServices == [AttributeService(name: "x")])
        #expect(attribute.values.map(\.value) == [.integer(5)])
    }

    @Test("Descriptions lose no correlation, and a sentence's parts stay where they are")
    func correlation() throws {
        let correlation: Correlation = try decode(
            """
            {"date": "2024-02-25", "attribute": "a", "attribute2": "b", "value": 1, "stars": "many", "period": {},
             "second_person": 7, "second_person_elements": ["You", null, "when"], "description": [], "occurrence": 1}
            """)
        #expect(correlation.secondPersonElements == ["You", "", "when"])
        #expect(correlation.stars == nil && correlation.secondPerson == nil && correlation.description == nil)
    }

    @Test("Names and a picture lose no profile, and a label of its attribute no insight")
    func others() throws {
        let user: User = try decode(#"{"username": "u", "first_name": 7, "last_name": {}, "avatar": 7}"#)
        #expect(user.firstName.isEmpty && user.lastName.isEmpty && user.avatar == nil)
        let insight: Insight = try decode(
            """
            {"created": "2024-03-02T06:05:11Z", "html": 7,
             "type": {"name": "x", "period": "week", "priority": {}, "attribute": {"name": "a", "group": 7, "label": 7}}}
            """)
        #expect(insight.html.isEmpty && insight.type.attribute?.name == "a")
    }

    @Test("Where a type is needed, the reason names the nested element")
    func reason() throws {
        let page: ExistPage<Correlation> = try decode(
            """
            {"results": [{"date": "2024-02-25", "attribute": "a", "attribute2": "b", "value": 1,
                          "rating": {"positive": "Y", "rating": "Useful"}}]}
            """)
        #expect(page.unreadable.map(\.reason) == ["rating.positive is not Bool"])
    }
}
