import Testing

@testable import PledgeCommand

@Suite("A weekly report", .serialized)
struct WeeklyReportReadingTests {
    private func report(
        days: [String] = ["2026-11-18", "2026-11-19", "2026-11-20"], checkIn: WeeklyReport.CheckIn? = nil
    ) -> WeeklyReport {
        WeeklyReport(
            person: "Ada", source: "a test", days: days.map(\.asDay), checkIn: checkIn, groups: [], correlations: [],
            insights: [],
            warnings: [])
    }

    private func sentence(day: String, readBack: Int?) -> String? {
        report(checkIn: .init(attribute: "mood", label: "Mood", day: day.asDay, written: 7, readBack: readBack))
            .checkInSentence
    }

    @Test("reports what was written, for which day, and whether it was read back")
    func checkIns() {
        #expect(sentence(day: "2026-11-20", readBack: 7) == "Mood 7 written for today and read back.")
        #expect(sentence(day: "2026-11-19", readBack: nil) == "Mood 7 written for yesterday, but not read back.")
        #expect(sentence(day: "2026-11-18", readBack: 5) == "Mood 7 written for Wed 18 November, but read back as 5.")
        #expect(report().checkInSentence == nil)
    }

    @Test("does not call a past day today")
    func pastDays() {
        var past = report()
        past.endsToday = false
        #expect(past.name(ofDay: "2026-11-20".asDay) == "Fri 20 November")
        #expect(past.lastDay == "Fri")
        #expect(past.spanInWords == "in these 3 days")
    }

    @Test("reports if there are no days")
    func noDays() {
        #expect(report(days: []).weekInWords() == "no days")
    }

    @Test("has one value a day, however many were sent")
    func alignment() {
        let days = ["2026-11-19", "2026-11-20"].map(\.asDay)
        #expect(WeeklyReport.Attribute("a", "A", .quantity, [1]).values(on: days) == [1, nil])
        #expect(WeeklyReport.Attribute("a", "A", .quantity, [1, .nan, 3]).values(on: days) == [1, nil])
    }

    @Test("lists a week's notes newest first, without blank ones")
    func notes() {
        let days = ["2026-11-18", "2026-11-19", "2026-11-20"].map(\.asDay)
        let notes = WeeklyReport.Attribute(notes: "note", "Note", ["old", " \n", "new"]).notes(on: days)
        #expect(notes.map(\.text) == ["new", "old"])
        #expect(notes.map(\.day) == [days[2], days[0]])
    }
}
