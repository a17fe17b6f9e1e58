import ExistKit
import Foundation
import Testing

@Suite("Documentation samples: attributes", .serialized)
struct AttributeSampleTests {
    private let exist: SandboxCase
    init() throws { exist = try SandboxCase() }

    @Test("Two pages of attributes decode: with and without a template, owned and not, in use and not")
    func attributes() async throws {
        try exist.answer("GET /api/2/attributes/", sample: "attributes_page1_200")
        try exist.answer("GET /api/2/attributes/", sample: "attributes_page2_last_200")

        let items = try await exist.existAPI.all(.attributes()).value.items

        #expect(items.map(\.name) == ["steps", "mood", "kombucha", "old_inhaler_puffs"])
        #expect(items.map(\.template) == ["steps", "mood", nil, nil])
        #expect(items.map(\.label) == ["Steps", "Mood", "🍵 Kombucha (glasses)", "Inhaler puffs"])
        #expect(items[0].group == AttributeGroup(name: "activity", label: "Activity", priority: 1))
        // As captured replies have it; the documentation's sample says 4.
        let mood = try await exist.existAPI.all(.attributes(names: ["mood"])).value.items
        #expect([items[1], mood[0]].map(\.group.priority) == [4, 3])
        #expect(items.map(\.service) == ["withings", "exist_for_ios", "my_tracker", nil])
        #expect(items[1].serviceInfo == AttributeService(name: "exist_for_ios", label: "Exist for iOS"))
        #expect(items.map(\.active) == [true, true, true, false])
        #expect(items.map(\.manual) == [false, true, false, true])
        #expect(items.map(\.priority) == [1, 1, 11, 4])
        #expect(items.map(\.valueType) == [.int, .scale, .int, .float])
        #expect(items[1].valueTypeDescription == "Integer scale (1-9)")
        #expect(items.map { $0.availableServices.map(\.name) } == [["withings", "oura"], [], ["my_tracker"], []])
        #expect(items.allSatisfy { $0.values.isEmpty })
        #expect(exist.sandbox.server.requests.prefix(2).map { $0.queryValue("page") } == ["1", "2"])
    }

    @Test("An empty page decodes")
    func empty() throws {
        let page = try read(ExistPage<Attribute>.self, "attributes_empty_page_200")

        #expect(page.totalCount == 0 && page.results.isEmpty && page.unreadable.isEmpty)
        #expect(page.next == nil && page.previous == nil)
    }

    @Test("The attributes that a client owns decode")
    func owned() async throws {
        try exist.answer("GET /api/2/attributes/owned/", sample: "attributes_owned_200")

        let (page, _) = try await exist.existAPI.page(.owned()).value

        #expect(page.totalCount == 1 && page[0].name == "pages_read" && page[0].service == "my_tracker")
        #expect(page[0].availableServices == [AttributeService(name: "my_tracker", label: "My Tracker")])
        #expect(page[0].priority == 4 && page[0].manual == false && page[0].group.label == "Media")
    }
}
