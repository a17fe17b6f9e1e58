import ExistKit
import Foundation
import Testing

@Suite("Averages", .serialized)
struct AverageTests {
    private let exist: SandboxCase
    init() throws { exist = try SandboxCase() }

    @Test("Averages decode with either key for their attribute, and with decimals or whole numbers")
    func averages() async throws {
        try exist.answer("GET /api/2/averages/", sample: "averages_200")

        let averages = try await exist.existAPI.averages().value.averages

        #expect(averages.map(\.attribute) == ["steps", "sleep"])
        #expect(averages.map(\.day.description) == ["2024-02-25", "2024-02-25"])
        #expect(averages.map(\.overall) == [6031, 437])
        let weekdays = averages.map { average in ExistDay.Weekday.allCases.map { average[$0] } }
        #expect(weekdays[0] == [5800, 6120, 6400, 5990, 6210, 7102.5, 4300])
        #expect(weekdays[1] == [430, 441, 428, 436, 419, 470, 482])
    }
}
