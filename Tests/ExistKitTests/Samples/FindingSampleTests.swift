import ExistKit
import Foundation
import Testing

@Suite("The documentation's samples of findings, read", .serialized)
struct FindingSampleTests {
    @Test("Insights of a day and of a month, with markup, line breaks, and an attribute of which little is said")
    func insights() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        try exist.answer("GET /api/2/insights/", sample: "insights_page1_200")

        let page = try await exist.existAPI.insights().value.insights

        #expect(page.count == 2 && page.next == nil && page.unreadable.isEmpty)
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

    @Test("Averages under either name of their attribute, as decimals and as whole numbers")
    func averages() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        try exist.answer("GET /api/2/averages/", sample: "averages_200")

        let averages = try await exist.existAPI.averages().value.averages

        #expect(averages.map(\.attribute) == ["steps", "sleep"])
        #expect(averages.map(\.day.description) == ["2024-02-25", "2024-02-25"])
        #expect(averages.map(\.overall) == [6031, 437])
        let weekdays = averages.map { average in ExistDay.Weekday.allCases.map { average[$0] } }
        #expect(weekdays[0] == [5800, 6120, 6400, 5990, 6210, 7102.5, 4300])
        #expect(weekdays[1] == [430, 441, 428, 436, 419, 470, 482])
    }

    @Test("Averages of earlier weeks, one with a day of the week that is not known")
    func history() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        try exist.answer("GET /api/2/averages/", sample: "averages_historical_200")

        let averages = try await exist.existAPI.averages(for: "tracks", limit: 2).value.averages

        #expect(averages.map(\.attribute) == ["tracks", "tracks"])
        #expect(averages.map(\.day.description) == ["2024-02-25", "2024-02-18"])
        #expect(averages.map(\.sunday) == [nil, 1])
        #expect(averages.map(\.overall) == [7, 5.5])
        #expect(exist.sandbox.server.requests.first?.queryValue("include_historical") == "1")
    }

    @Test("Two pages of correlations: rated and not, with decimals and with whole numbers")
    func correlations() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        try exist.answer("GET /api/2/correlations/", sample: "correlations_page1_200")
        try exist.answer("GET /api/2/correlations/", sample: "correlations_page2_200")

        let found = try await exist.existAPI.correlations().value.correlations

        #expect(found.map(\.value) == [0.3120944, -0.4410218733341102, 1])
        #expect(found.map(\.p) == [4.07e-07, 9.81e-19, 0])
        #expect(found.map(\.percentage) == [31.20944, 44.10218733341102, 100])
        #expect(found.map(\.offset) == [0, -1, 0] && found.map(\.period) == [364, 364, 364])
        #expect(found.map(\.stars) == [5, 5, 4])
        #expect(found.map(\.attribute) == ["mood", "productive_min", "mood"])
        #expect(found.map(\.attribute2) == ["guitar", "events", "guitar"])
        #expect(found.map(\.day.description) == ["2024-02-25", "2024-02-25", "2024-02-25"])
        #expect(found[0].secondPerson == "you have a better day when you tag 'guitar' more.")
        #expect(found[0].secondPersonElements == ["you have a better day", "when", "you tag 'guitar' more"])
        #expect(found.map(\.attributeCategory) == [nil, "Team 🗓 calendar", nil])
        #expect(found[1].description == "Meetings leave less room for focused work." && found[0].description == nil)
        #expect(found.map(\.occurrence) == [nil, "Common", nil])
        #expect(found[1].strengthDescription == "Sometimes go together")
        #expect(found[1].starsDescription == "Certain to be related")
        #expect(
            found.map(\.rating) == [
                nil, CorrelationRating(positive: false, rating: "Too obvious", ratingType: 10),
                CorrelationRating(positive: true, rating: "Useful"),
            ])
    }

    @Test("A pair that goes together, and one of which nothing is known")
    func combo() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        try exist.answer("GET /api/2/correlations/combo/", sample: "correlation_combo_200")
        try exist.answer("GET /api/2/correlations/combo/", sample: "correlation_combo_404")

        let pair = try await exist.existAPI.correlation(between: "sleep", and: "alcoholic_drinks").value.correlation
        let none = try await exist.existAPI.correlation(between: "sleep", and: "tweets").value.correlation

        #expect(pair?.value == -0.18 && pair?.p == 0.0031 && pair?.percentage == 18 && pair?.stars == 4)
        #expect(pair?.attribute == "sleep" && pair?.attribute2 == "alcoholic_drinks")
        #expect(pair?.rating == CorrelationRating(positive: true, rating: "Useful", ratingType: 50))
        #expect(none == nil)
    }
}
