import ExistKit
import Foundation
import Testing

@Suite("Insights", .serialized)
struct InsightTests {
    private let exist: SandboxCase
    init() throws { exist = try SandboxCase() }

    @Test("Insights of a day and of a month decode, with markup, line breaks, and a sparse attribute")
    func insights() async throws {
        try exist.answer("GET /api/2/insights/", sample: "insights_page1_200")

        let page = try await exist.existAPI.insights().value.insights

        #expect(page.totalCount == 2 && page.next == nil && page.unreadable.isEmpty)
        #expect(page[0].created.timeIntervalSince1970 == 1_709_355_911)
        #expect(page[1].created.timeIntervalSince1970 == 1_709_269_200.5)
        #expect(page.map(\.targetDay?.description) == ["2024-03-01", nil])
        #expect(page.map(\.type.name) == ["steps_best_since_x", "future_month_summary"])
        #expect(page.map(\.type.period) == [1, 30])
        #expect(page.map(\.type.priority) == [2, 4])
        #expect(page[0].type.attribute?.valueType == .int)
        #expect(page[0].type.attribute?.group == AttributeGroup(name: "activity", label: "Activity", priority: 1))
        #expect(page[1].type.attribute?.label == "Time asleep 💤")
        #expect(page[1].type.attribute?.valueType == nil)
        #expect(page[1].type.attribute?.group == AttributeGroup(name: "sleep", priority: 3))
        #expect(page[0].text == "Most steps for 19 days & counting\r\n12'044 on Friday")
        #expect(page[0].html.hasPrefix(#"<div class="secondary">Most steps for 19 days &amp; counting</div>"#))
        #expect(page[1].text.isEmpty && page[1].html.isEmpty)
    }
}
