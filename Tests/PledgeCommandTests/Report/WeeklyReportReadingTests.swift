import ExistKit
import Testing

@testable import PledgeCommand

@Suite("A weekly report", .serialized)
struct WeeklyReportReadingTests {
    private let days = ["2026-11-18", "2026-11-19", "2026-11-20"].map(\.asDay)

    private func report(of days: [ExistDay]) -> WeeklyReport {
        var report = WeeklyReport.empty
        report.days = days
        return report
    }

    @Test("does not call a past day today")
    func pastDays() {
        var past = report(of: days)
        past.endsToday = false
        #expect(past.mark(days[2]) == "Fri 20 Nov" && report(of: days).mark(days[2]) == "Today")
        #expect(past.lastDay == "Fri" && past.spanInWords == "in these 3 days")
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
        #expect(report(of: (0..<count).map { first.asDay.advanced(by: $0) }).spanName == name)
    }

    @Test(
        "names month and year of a range of days only where they change",
        arguments: [
            ("2026-11-14", "2026-11-20", "Sat 14 – Fri 20 November"),
            ("2026-11-28", "2026-12-04", "Sat 28 November – Fri 4 December"),
            ("2026-12-27", "2027-01-02", "Sun 27 December 2026 – Sat 2 January 2027"),
            ("2026-11-20", "2026-11-20", "Fri 20 November"),
        ])
    func ranges(from first: String, to last: String, words: String) {
        #expect(ExistDay.range(from: first.asDay, to: last.asDay) == words)
    }

    @Test("lists a week's notes newest first, without blank ones")
    func notes() {
        let notes = WeeklyReport.Attribute(notes: "note", "Note", ["old", " \n", "new"]).notes(on: days)
        #expect(notes.map(\.text) == ["new", "old"] && notes.map(\.day) == [days[2], days[0]])
    }
}
