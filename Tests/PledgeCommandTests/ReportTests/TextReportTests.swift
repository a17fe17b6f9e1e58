import Foundation
import Testing

@testable import PledgeCommand

@Suite("The text report", .serialized)
struct TextReportTests {
    private func lines(_ report: WeeklyReport = .sample, width: Int = 80) -> [String] {
        TextReport(report, width: width).rendered().split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init)
    }

    private func line(starting start: String, width: Int = 80) -> String? {
        lines(width: width).first { $0.drop { $0 == " " }.hasPrefix(start) }
    }

    @Test("opens with the person, the week and the source, then the check-in")
    func opening() {
        #expect(
            lines().prefix(3) == [
                "Ada · Sat 14 – Fri 20 November · the built-in sandbox",
                "Mood 7 written for today and read back.",
                "",
            ])
    }

    @Test("gives an attribute one line: label, week, today, and how that compares")
    func rows() {
        #expect(
            line(starting: "Active energy")?.split(separator: " ").joined(separator: " ")
                == "Active energy ▁▃▂▄█·▂ 1,655 kJ +12 % vs usual 1,480 kJ")
        #expect(line(starting: "Productive time")?.hasSuffix("▁▂▇█▇█·         –  not yet today, usual 5h 31m") == true)
        #expect(line(starting: "Tasks completed")?.hasSuffix("·······         –  nothing this week") == true)
    }

    @Test("aligns the weeks of all groups under their weekdays, also past emoji and CJK")
    func alignment() {
        let starts = lines().compactMap { line in
            line.range(of: "  ([▁▂▃▄▅▆▇█·●○]{7}  |SSMTWTF$)", options: .regularExpression)
                .map { line[..<$0.lowerBound].description.columns }
        }
        #expect(starts.count == 29 + 9)
        #expect(Set(starts).count == 1)
    }

    @Test("quotes the latest text on one line, with its day where that is not today")
    func quotes() {
        #expect(line(starting: "Mood note")?.contains("“Slept well & woke before the alarm.") == true)
        var report = WeeklyReport.sample
        report.groups = [
            .init(
                name: "mood", label: "Mood",
                attributes: [.init(notes: "note", "Note", [nil, nil, "Rain.\n\u{1B}[31mAll day.", nil, nil, nil, nil])])
        ]
        #expect(lines(report).contains("  Note  Mon “Rain. [31mAll day.”"))
    }

    @Test("writes relations as sentences with stars, strength and a word of caution")
    func relations() {
        let text = TextReport(.sample).rendered()
        #expect(
            text.contains(
                """
                Relations
                  ★★★★☆  You have a better day when you sleep more.
                         Often go together, +62 %
                  ★★★★★  You go to bed earlier when you walk more.
                         Sometimes go together, −41 %
                """))
        #expect(text.contains("Relations are not causes"))
    }

    @Test("lists what was noticed with its day, keeping its lines apart")
    func noticed() {
        #expect(
            TextReport(.sample).rendered().contains(
                """
                  Wed 18 Nov  You walked 14,902 steps on Wednesday.
                              That is your best day in four weeks, and 96 % more than usual.
                  Over time   You have tagged 喝茶 more often this month than last.
                """))
    }

    @Test("ends with what could not be read")
    func warnings() {
        #expect(
            lines().suffix(3).map { $0.prefix(24) } == [
                "Not everything could be ", "  ! The attribute “cycle", "    empty.",
            ])
    }

    @Test("leaves out sections that have nothing to say")
    func emptyReport() {
        let report = WeeklyReport(
            person: "Ada", source: "a test", days: [], checkIn: nil, groups: [], correlations: [], insights: [],
            warnings: [])
        #expect(lines(report) == ["Ada · no days · a test", "Nothing was tracked this week."])
    }

    @Test("never exceeds its width", arguments: [20, 21, 33, 40, 60, 80, 81, 120, 200])
    func width(width: Int) {
        for report in [WeeklyReport.sample, .hostile] {
            for line in lines(report, width: width) { #expect(line.columns <= width, "\(line)") }
        }
    }

    @Test("names a narrow change alone where the whole phrase has no room")
    func narrow() {
        #expect(line(starting: "Wake time", width: 44)?.hasSuffix("07:32  48m later") == true)
    }

    @Test("emits no control character that it did not write itself")
    func injection() {
        let text = TextReport(.hostile).rendered()
        #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control })
        let colored = TextReport(.hostile, color: true).rendered()
        #expect(colored.replacingOccurrences(of: "\u{1B}\\[[0-9]*m", with: "", options: .regularExpression) == text)
    }
}
