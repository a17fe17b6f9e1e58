import ExistKit
import Testing

@testable import PledgeCommand

@Suite("The days of a report")
struct ReportSpanTests {
    private let today = "2026-11-22".asDay

    @Test(
        "A week such as 2026-W40 begins on the Monday that ISO 8601 says; other forms are refused",
        arguments: [
            ("2026-W40", "2026-09-28"), ("2026-W01", "2025-12-29"), ("2020-W53", "2020-12-28"), ("2026-w1", nil),
            ("2025-W53", nil), ("2026-W00", nil), ("2026-W54", nil), ("2026W40", nil), ("W40", nil), ("", nil),
            ("2026-W+1", nil), ("+026-W40", nil),
        ] as [(String, String?)])
    func weeks(text: String, monday: String?) {
        #expect(ReportSpan.monday(ofWeek: text)?.description == monday)
    }

    @Test("A month or a year has all of its days; invalid months and years are refused")
    func calendars() {
        for (days, words) in [
            (ReportSpan.month("2024-02"), "2024-02-01 2024-02-29"),
            (ReportSpan.month("2026-11"), "2026-11-01 2026-11-30"),
            (ReportSpan.month("2026-12"), "2026-12-01 2026-12-31"), (ReportSpan.year("2026"), "2026-01-01 2026-12-31"),
        ] { #expect(days.map { "\($0.first) \($0.last)" } == words) }
        for text in ["2026-13", "2026-00", "2026-1", "26-01", "", "2026-010"] { #expect(ReportSpan.month(text) == nil) }
        for text in ["26", "20266", "", "-026", "year"] { #expect(ReportSpan.year(text) == nil) }
    }

    @Test("A database's report ends on the day of the last sync, and this day counts as unfinished")
    func stored() throws {
        let read = today.advanced(by: -3)
        let span = try ReportSpan(.latest(400), today: today, synced: read)
        #expect(span.days.count == 400 && span.days.last == read && span.isOpen && !span.endsToday)
        #expect(try !ReportSpan(.between(nil, read.advanced(by: -1)), today: today, synced: read).isOpen)
        #expect(throws: UsageError.self) { try ReportSpan(.between(today, nil), today: today, synced: read) }
        #expect(try ReportSpan(.latest(36_525), today: today, synced: read).days.count == 36_525)
        #expect(throws: UsageError.self) { try ReportSpan(.latest(36_526), today: today, synced: read) }
    }

    @Test("A report ends today by default, and never in the future")
    func spans() throws {
        let week = try ReportSpan(.latest(7), today: today)
        #expect(week.days.first == "2026-11-16".asDay && week.days.last == today && week.endsToday)
        #expect(week.before.first == ExistDay("2026-11-09") && week.before.last == ExistDay("2026-11-15"))
        let monday = today.advanced(by: -2)
        let begun = try ReportSpan(.period(monday, monday.advanced(by: 6)), today: today)
        #expect(begun.days.count == 3 && begun.endsToday)
        #expect(throws: UsageError.self) { try ReportSpan(.between(monday, monday.advanced(by: 6)), today: today) }
        #expect(try ReportSpan(.between(monday, today), today: today) == begun)
        let past = try ReportSpan(.between(nil, ExistDay("2026-10-04")), today: today)
        #expect(past.days.first == ExistDay("2026-09-28") && !past.endsToday)
        #expect(throws: UsageError.self) { try ReportSpan(.between(ExistDay("2026-11-23"), nil), today: today) }
        #expect(try ReportSpan(.latest(ReportSpan.longest), today: today).days.count == 31)
        #expect(throws: UsageError.self) { try ReportSpan(.latest(32), today: today) }
    }

    private let days = ["2026-11-18", "2026-11-19", "2026-11-20"].map(\.asDay)

    private func report(of days: [ExistDay]) -> Report {
        var report = Report.empty
        report.days = days
        return report
    }

    @Test("A past day isn't called today; notes are listed newest first, without blank notes")
    func pastDays() {
        let notes = Report.Attribute(notes: "note", "Note", ["old", " \n", "new"]).notes(on: days)
        #expect(notes.map(\.text) == ["new", "old"] && notes.map(\.day) == [days[2], days[0]])
        var past = report(of: days)
        past.endsToday = false
        #expect(past.mark(days[2]) == "Fri 20 Nov" && report(of: days).mark(days[2]) == "Today")
        #expect(past.lastDay == "Fri" && past.spanInWords == "in these 3 days")
    }

    @Test(
        "A span is called a week, a month, or a year only if it is exactly that; otherwise, its days are counted",
        arguments: [
            ("2026-10-02", 1, "day"), ("2026-10-02", 7, "week"), ("2026-02-01", 28, "month"),
            ("2026-10-01", 31, "month"), ("2026-10-02", 31, "31 days"), ("2026-10-01", 30, "30 days"),
            ("2026-10-02", 30, "30 days"), ("2026-01-01", 90, "90 days"), ("2026-01-01", 365, "year"),
            ("2025-07-01", 365, "365 days"),
        ])
    func names(first: String, count: Int, name: String) {
        #expect(report(of: (0..<count).map { first.asDay.advanced(by: $0) }).spanName == name)
    }

    @Test(
        "A range of days is printed with one month and without a year, unless it crosses a month or a year",
        arguments: [
            ("2026-11-14", "2026-11-20", "Sat 14 – Fri 20 November"),
            ("2026-11-28", "2026-12-04", "Sat 28 November – Fri 4 December"),
            ("2026-12-27", "2027-01-02", "Sun 27 December 2026 – Sat 2 January 2027"),
            ("2026-11-20", "2026-11-20", "Fri 20 November"),
        ])
    func ranges(from first: String, to last: String, words: String) {
        #expect(ExistDay.range(from: first.asDay, to: last.asDay) == words)
    }
}
