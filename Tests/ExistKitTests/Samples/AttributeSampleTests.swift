import ExistKit
import Foundation
import Testing

@Suite("The documentation's samples of attributes, read", .serialized)
struct AttributeSampleTests {
    @Test("Two pages of attributes: with a template and without, owned and not, in use and not")
    func attributes() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        try exist.answer("GET /api/2/attributes/", sample: "attributes_page1_200")
        try exist.answer("GET /api/2/attributes/", sample: "attributes_page2_last_200")

        let items = try await exist.existAPI.all(.attributes()).value.items

        #expect(items.map(\.name) == ["steps", "mood", "kombucha", "old_inhaler_puffs"])
        #expect(items.map(\.template) == ["steps", "mood", nil, nil])
        #expect(items.map(\.label) == ["Steps", "Mood", "🍵 Kombucha (glasses)", "Inhaler puffs"])
        #expect(items[0].group == AttributeGroup(name: "activity", label: "Activity", priority: 1))
        #expect(items.map(\.service) == ["withings", "exist_for_ios", "my_tracker", nil])
        #expect(items[1].serviceInfo == AttributeService(name: "exist_for_ios", label: "Exist for iOS"))
        #expect(items.map(\.active) == [true, true, true, false])
        #expect(items.map(\.manual) == [false, true, false, true])
        #expect(items.map(\.priority) == [1, 1, 11, 4])
        #expect(items.map(\.valueType) == [.int, .scale, .int, .float])
        #expect(items[1].valueTypeDescription == "Integer scale (1-9)")
        #expect(items.map { $0.availableServices.map(\.name) } == [["withings", "oura"], [], ["my_tracker"], []])
        #expect(items.allSatisfy { $0.values.isEmpty })
        #expect(exist.sandbox.server.requests.map { $0.queryValue("page") } == ["1", "2"])
    }

    @Test("A list with nothing in it")
    func empty() throws {
        let page = try read(ExistPage<Attribute>.self, "attributes_empty_page_200")

        #expect(page.count == 0 && page.results.isEmpty && page.unreadable.isEmpty)
        #expect(page.next == nil && page.previous == nil)
    }

    @Test("What a client owns")
    func owned() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        try exist.answer("GET /api/2/attributes/owned/", sample: "attributes_owned_200")

        let (page, _) = try await exist.existAPI.page(.owned()).value

        #expect(page.count == 1 && page[0].name == "pages_read" && page[0].service == "my_tracker")
        #expect(page[0].availableServices == [AttributeService(name: "my_tracker", label: "My Tracker")])
        #expect(page[0].priority == 4 && page[0].manual == false && page[0].group.label == "Media")
    }

    @Test("Two pages of templates, of which one is of a group and a type that nobody knows yet")
    func templates() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        try exist.answer("GET /api/2/attributes/templates/", sample: "attributes_templates_page1_200")
        try exist.answer("GET /api/2/attributes/templates/", sample: "attributes_templates_page2_200")

        let items = try await exist.existAPI.all(.templates(limit: 3)).value.items

        #expect(items.map(\.name) == ["floors", "sleep_start", "body_fat", "mood", "zz_future_template"])
        #expect(items.map(\.valueType) == [.int, .minFromMidday, .percentage, .scale, .unknown(9)])
        #expect(items.map(\.priority) == [3, 4, 2, 1, 12])
        #expect(items[2].group == AttributeGroup(name: "health", label: "Health and body", priority: 5))
        #expect(items[4].label == "Something new ✨" && items[4].group.name == "future_group")
        #expect(items[4].valueTypeDescription == "A type this client has never seen")
    }

    @Test("Two pages with values of every type, newest first, read as their types say")
    func withValues() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        try exist.answer("GET /api/2/attributes/with-values/", sample: "attributes_with_values_page1_200")
        try exist.answer("GET /api/2/attributes/with-values/", sample: "attributes_with_values_page2_200")

        let items = try await exist.existAPI.attributes(limit: 3).value.attributes

        #expect(items.count == 12)
        #expect(items.allSatisfy { $0.values.map(\.day.description) == ["2024-03-02", "2024-03-01", "2024-02-29"] })
        let values = Dictionary(uniqueKeysWithValues: items.map { ($0.name, $0.values.map(\.value)) })
        let text = "Long walk, then soup 🍲\nSlept badly after."
        #expect(values["steps"] == [.integer(8120), .integer(12044), nil])
        #expect(values["steps_distance"] == [.decimal(6.37), .decimal(9), nil])
        #expect(values["mood_note"] == [.text(text), .text(""), nil])
        #expect(values["meditation_min"] == [.integer(15), .integer(0), nil])
        #expect(values["sleep_end"] == [.integer(431), .integer(388), nil])
        #expect(values["body_fat"] == [.decimal(0.214), .decimal(0), .decimal(1)])
        #expect(values["sleep_start"] == [.integer(655), .integer(742), nil])
        #expect(values["bad_sleep"] == [.integer(1), .integer(0), nil])
        #expect(values["日記"] == [.integer(1), .integer(0), nil])
        #expect(values["energy_level"] == [.integer(9), .integer(1), nil])
        #expect(values["location"] == [.text("59.33,18.06"), nil, nil])
        let unknown: [AttributeValue?] = [
            .other(.object(["x": .integer(1)])), .other(.array([.integer(1), .integer(2)])), nil,
        ]
        #expect(values["future_thing"] == unknown)
        #expect(items.first { $0.name == "日記" }?.serviceInfo == nil)
        #expect(items.first { $0.name == "future_thing" }?.valueType == .unknown(11))
        #expect(items.first { $0.name == "bad_sleep" }?.label == "Bad sleep 😵‍💫")
        #expect(exist.unreadable.all.isEmpty)
    }

    @Test("The history of a decimal attribute, whose whole numbers are decimals, too")
    func history() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        // The sample is the first of many pages.
        let first = try sample("attributes_values_200").replacingOccurrences(
            of: #""https://exist.io/api/2/attributes/values/?attribute=weight&limit=4&page=2""#, with: "null")
        exist.answer("GET /api/2/attributes/values/", first)
        let weight = Attribute(name: "weight", group: AttributeGroup(name: "health"), valueType: .float)

        let values = try await exist.existAPI.history(of: weight).value.attribute.values

        #expect(values.map(\.value) == [.decimal(64.8), .decimal(65), nil, .decimal(64.95)])
        #expect(values.map(\.day.description) == ["2024-03-02", "2024-03-01", "2024-02-29", "2024-02-28"])
        #expect(try read(ExistPage<Attribute.DayValue>.self, "attributes_values_200").count == 902)
    }

    @Test("The tags of a day are those that are set, not those that are cleared or were never set")
    func tags() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        try exist.answer("GET /api/2/attributes/with-values/", sample: "attributes_tags_for_day_200")
        let page = try read(ExistPage<Attribute>.self, "attributes_tags_for_day_200")

        let tags = try await exist.existAPI.tags(on: try day("2024-02-28")).value.tags

        #expect(tags.map(\.label) == ["Guitar"])
        #expect(page.map(\.name) == ["guitar", "late_to_sleep", "camping"])
        #expect(page.map { $0.values.first?.value } == [.integer(1), .integer(0), nil])
        #expect(exist.sandbox.server.requests.first?.queryValue("groups") == "custom")
        #expect(exist.sandbox.server.requests.first?.queryValue("date_max") == "2024-02-28")
    }
}
