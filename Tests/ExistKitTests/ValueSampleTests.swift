import ExistKit
import Foundation
import Testing

@Suite("Documentation samples: values", .serialized)
struct ValueSampleTests {
    private let exist: SandboxCase
    init() throws { exist = try SandboxCase() }

    @Test("A value can be compared with a number or text literal, whether it is whole, fractional, or nil")
    func comparing() {
        let (seven, half): (AttributeValue?, AttributeValue) = (.decimal(7), .decimal(0.5))
        let text = AttributeValue.text("a")
        #expect(seven == 7 && seven == 7.0 && seven != 8 && AttributeValue.integer(7) == 7.0)
        #expect(half == 0.5 && half != 0 && text == "a" && text != "b" && text != 7)
        #expect(nil as AttributeValue? != 7 && AttributeValue.integer(7) != AttributeValue.decimal(7))
    }

    @Test("The history of a decimal attribute also decodes whole numbers as decimals")
    func history() async throws {
        // The sample is the first of many pages. Removes its link to the next page.
        let first = try sample("attributes_values_200").replacingOccurrences(
            of: #""https://exist.io/api/2/attributes/values/?attribute=weight&limit=4&page=2""#, with: "null")
        exist.answer("GET /api/2/attributes/values/", first)
        let weight = Attribute(name: "weight", group: AttributeGroup(name: "health"), valueType: .float)
        let values = try await exist.existAPI.history(of: weight).value.attribute.values
        #expect(values.map(\.value) == [.decimal(64.8), .decimal(65), nil, .decimal(64.95)])
        #expect(values.map(\.day.description) == ["2024-03-02", "2024-03-01", "2024-02-29", "2024-02-28"])
        #expect(try read(ExistPage<Attribute.DayValue>.self, "attributes_values_200").totalCount == 902)
    }

    @Test("A list or an object in a history is reported as unreadable, and the other values are kept")
    func unreadableHistory() async throws {
        exist.answer(
            "GET /api/2/attributes/values/",
            #"{"results": [{"date": "2024-03-02", "value": 7}, {"date": "2024-03-01", "value": [1]}]}"#)
        let steps = Attribute(name: "steps", group: AttributeGroup(name: "activity"), valueType: .int)
        let history = try await exist.existAPI.history(of: steps).value.attribute
        #expect(history.values.map(\.value) == [.integer(7), nil])
        #expect(history.unreadableValues.map(\.description) == ["item 1: value is not Double"])
        #expect(exist.unreadable.all == ["attributes/values/ (steps) item 1: value is not Double"])
    }

    @Test("The tags of a day are the tags that are set, without those that are cleared or were never set")
    func tags() async throws {
        try exist.answer("GET /api/2/attributes/with-values/", sample: "attributes_tags_for_day_200")
        let tags = try await exist.existAPI.tags(day: try day("2024-02-28")).value.tags
        #expect(tags.map(\.label) == ["Guitar"])
    }
}
