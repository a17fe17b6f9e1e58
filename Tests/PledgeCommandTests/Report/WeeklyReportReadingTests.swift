import Testing

@testable import PledgeCommand

@Suite("A weekly report", .serialized)
struct WeeklyReportReadingTests {
    private let days = ["2026-11-18", "2026-11-19", "2026-11-20"].map(\.asDay)

    private func report() -> WeeklyReport {
        var report = WeeklyReport.empty
        report.days = days
        return report
    }

    @Test("does not call a past day today")
    func pastDays() {
        var past = report()
        past.endsToday = false
        #expect(past.mark("2026-11-20".asDay) == "Fri 20 Nov" && report().mark("2026-11-20".asDay) == "Today")
        #expect(past.lastDay == "Fri")
        #expect(past.spanInWords == "in these 3 days")
    }

    @Test(
        "calls its days a day, a week, a month, or a year only if they are one",
        arguments: [
            ("2026-10-02", 1, "day"), ("2026-10-02", 7, "week"), ("2026-10-01", 31, "month"),
            ("2026-02-01", 28, "month"),
            ("2026-10-02", 31, "31 days"), ("2026-10-01", 30, "30 days"), ("2026-10-02", 30, "30 days"),
            ("2026-01-01", 90, "90 days"), ("2026-01-01", 365, "year"), ("2025-07-01", 365, "365 days"),
        ])
    func spans(first: String, count: Int, name: String) {
        var report = report()
        report.days = (0..<count).map { first.asDay.advanced(by: $0) }
        #expect(report.spanName == name)
    }

    @Test("lists a week's notes newest first, without blank ones")
    func notes() {
        let notes = WeeklyReport.Attribute(notes: "note", "Note", ["old", " \n", "new"]).notes(on: days)
        #expect(notes.map(\.text) == ["new", "old"])
        #expect(notes.map(\.day) == [days[2], days[0]])
    }
}
