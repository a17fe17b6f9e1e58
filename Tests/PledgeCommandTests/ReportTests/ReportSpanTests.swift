import ExistKit
import Testing

@testable import PledgeCommand

@Suite("The days of a report")
struct ReportSpanTests {
    private let today = ExistDay("2026-11-22")

    @Test(
        "of a week are those of ISO 8601",
        arguments: [
            ("2026-W40", "2026-09-28"), ("2026-W01", "2025-12-29"), ("2020-W53", "2020-12-28"), ("2026-w1", nil),
            ("2025-W53", nil), ("2026-W00", nil), ("2026-W54", nil), ("2026W40", nil), ("W40", nil), ("", nil),
        ] as [(String, String?)])
    func weeks(text: String, monday: String?) {
        #expect(ReportSpan.monday(ofWeek: text)?.description == monday)
    }

    @Test("end today unless said otherwise, and never in the future")
    func spans() throws {
        let today = try #require(today)
        let week = try ReportSpan(.latest(7), today: today)
        #expect(week.days.first == ExistDay("2026-11-16") && week.days.last == today && week.endsToday)
        #expect(week.before.first == ExistDay("2026-11-09") && week.before.last == ExistDay("2026-11-15"))
        let begun = try ReportSpan(.between(ExistDay("2026-11-20"), ExistDay("2026-11-26")), today: today)
        #expect(begun.days.count == 3 && begun.endsToday)
        let past = try ReportSpan(.between(nil, ExistDay("2026-10-04")), today: today)
        #expect(past.days.first == ExistDay("2026-09-28") && !past.endsToday)
        #expect(throws: UsageError.self) { try ReportSpan(.between(ExistDay("2026-11-23"), nil), today: today) }
        #expect(throws: UsageError.self) { try ReportSpan(.between(ExistDay("2026-01-01"), nil), today: today) }
    }
}
