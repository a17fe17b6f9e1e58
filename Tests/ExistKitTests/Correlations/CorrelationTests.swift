import ExistKit
import Foundation
import Testing

@Suite("Correlations", .serialized)
struct CorrelationTests {
    private let exist: SandboxCase
    init() throws { exist = try SandboxCase() }

    @Test("Two pages of correlations decode: rated and not, with decimals and with whole numbers")
    func correlations() async throws {
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

    @Test("A correlated pair decodes, and a pair without a correlation is nil")
    func combo() async throws {
        try exist.answer("GET /api/2/correlations/combo/", sample: "correlation_combo_200")
        try exist.answer("GET /api/2/correlations/combo/", sample: "correlation_combo_404")

        let pair = try await exist.existAPI.correlation(between: "sleep", and: "alcoholic_drinks").value.correlation
        let none = try await exist.existAPI.correlation(between: "sleep", and: "tweets").value.correlation

        #expect(pair?.value == -0.18 && pair?.p == 0.0031 && pair?.percentage == 18 && pair?.stars == 4)
        #expect(pair?.attribute == "sleep" && pair?.attribute2 == "alcoholic_drinks")
        #expect(pair?.rating == CorrelationRating(positive: true, rating: "Useful", ratingType: 50))
        #expect(none == nil)
    }

    @Test("The correlation of two attributes is returned, or nil if there is none; any other 404 is an error")
    func noneOrLost() async throws {
        let strongest = try #require(try await exist.existAPI.correlations().value.correlations.first)

        let found = try await exist.existAPI.correlation(between: strongest.attribute2, and: strongest.attribute).value
        let none = try await exist.existAPI.correlation(between: "weather_summary", and: "mood_note").value
        exist.sandbox.server.script.next(respond: .text("<html>Not here</html>", status: 404))
        let lost = await exist.existAPI.correlation(between: "a", and: "b").settled().value

        #expect(found.correlation?.value == strongest.value)
        #expect(none.correlation == nil)
        #expect(throws: ExistError.self) { try lost.get() }
    }

    @Test(
        "A pair without a correlation is nil, whatever white space precedes the response's JSON",
        arguments: [#"{"error": "No such pair"}"#, " \r\n\t{\"error\": \"No such pair\"}"])
    func noneAfterSpace(body: String) async throws {
        exist.sandbox.server.script.next(respond: .text(body, status: 404))

        #expect(try await exist.existAPI.correlation(between: "a", and: "b").value.correlation == nil)
    }

    @Test("Only the strong correlations, or those of one attribute, are found")
    func strongOrOfOne() async throws {
        let all = try await exist.existAPI.correlations().value.correlations
        let strong = try await exist.existAPI.correlations(strong: true).value.correlations
        let mood = try await exist.existAPI.correlations(for: "mood").value.correlations

        #expect(!strong.isEmpty && strong.count <= all.count && !mood.isEmpty)
        #expect(mood.allSatisfy { $0.attribute == "mood" || $0.attribute2 == "mood" })
    }
}
