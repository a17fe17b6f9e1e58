import Foundation
import Testing

@testable import PledgeCommand

@Suite("The text report", .serialized)
struct TextReportTests {
    private func lines(_ report: WeeklyReport = .sample, width: Int = 80) -> [String] {
        TextReport(report: report, width: width).rendered().split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init)
    }

    private func line(starting start: String, width: Int = 80) -> String? {
        lines(width: width).first { $0.drop { $0 == " " }.hasPrefix(start) }
    }

    @Test("has units beside its numbers if it is too narrow for columns, and counts the days of a tag once")
    func stacked() {
        let walk = WeeklyReport.Attribute(
            "walk", "Walk", .decimal, unit: "km", [3, 4], usual: 5, mean: 3.5, before: 2.5)
        let tag = WeeklyReport.Attribute("tea", "Tea", .boolean, [1, 0], mean: 1, before: 2)
        let words = TextReport(report: .sample(of: walk, tag, days: 2), width: 24).rendered().onOneLine
        #expect(words.contains("4.0 km, −1 km; usual Fri 5.0 km; mean 3.5 km; 2 days before 2.5 km"), "\(words)")
        #expect(words.contains("Tea ●○ 1 of 2 days; 2 days before 2 days"))
    }

    @Test("begins with person, week, and source, and writes correlations, insights, and what could not be read in full")
    func whole() {
        let text = TextReport(report: .sample).rendered()
        #expect(text.hasPrefix("Ada · Sat 14 – Fri 20 November · the built-in sandbox\n\n"))
        for part in [
            """
            Correlations
              - You have a better day when you sleep more.
                Strong: they rise and fall together (+0.62). Exist is sure (4 of 5).
              - You go to bed earlier when you walk more.
                Moderate: when one rises, the other falls (−0.41). Exist is very sure (5 of
                5).
            """,
            """
              Wed 18 Nov  You walked 14,902 steps on Wednesday.
                          That is your best day in four weeks, and 96 % more than usual.
              Over time   You have tagged 喝茶 more often this month than last.
            """, "A correlation does not imply a cause",
        ] { #expect(text.contains(part)) }
        let warning = "The attribute “cycle_min” came with a value that is neither a number nor empty."
        #expect(text.onOneLine.contains(warning))
    }

    @Test("has one line for each attribute: label, week, today, and the comparison")
    func rows() {
        #expect(
            line(starting: "Active energy")?.onOneLine == "Active energy ▁▃▂▄█·▂ 1,655 kJ +12 % 1,480")
        #expect(line(starting: "Productive time")?.contains("▁▂▇█▇█·   Thu 5h 41m  not yet ") == true)
        #expect(line(starting: "Productive time")?.hasSuffix(" 5h 31m") == true)
        #expect(line(starting: "Tasks completed")?.hasSuffix("·······            –  nothing this week") == true)
    }

    @Test("aligns the weeks of all groups under their weekdays, even after emoji and CJK")
    func alignment() {
        let starts = lines().compactMap { line in
            line.range(of: "  ([▁▂▃▄▅▆▇█·●○]{7}  |SSMTWTF  )", options: .regularExpression)
                .map { line[..<$0.lowerBound].description.columns }
        }
        #expect(starts.count == 21 + 8)
        #expect(Set(starts).count == 1)
    }

    @Test("quotes the latest text on one line, with its day if that is not today")
    func quotes() {
        #expect(line(starting: "Mood note")?.contains("“Slept well & woke before the alarm.") == true)
        let rain = WeeklyReport.Attribute(
            notes: "note", "Note", [nil, nil, "Rain.\n\u{1B}[31mAll day.", nil, nil, nil, nil])
        #expect(lines(.sample(of: rain)).contains("  Note  Mon “Rain. [31mAll day.”"))
        let long = WeeklyReport.Attribute(notes: "note", "Note", [String(repeating: "word ", count: 40)])
        let text = lines(.sample(of: long, days: 1)).joined(separator: " ")
        #expect(text.components(separatedBy: "word").count == 41)
    }

    @Test("shows the days as one number beside that of the days before")
    func summaries() {
        let steps = WeeklyReport.Attribute(
            "steps", "Steps", .quantity, [6, 8, 7, 7, 7, 7, 1], usual: 7, soFar: true, mean: 7, before: 5.25)
        let lines = lines(.sample(of: steps))
        #expect(lines.contains { $0.hasSuffix("Today          Usual Fri  Mean  Before") })
        #expect(lines.contains { $0.hasSuffix("    1  so far          7     7     5.3") })
    }

    @Test("always shows what is usual: other columns give way, and labels wrap")
    func alwaysUsual() {
        for width in [20, 35, 63, 64, 70, 80, 81, 100] {
            let lines = lines(.summarized, width: width)
            let isStacked = !lines.contains { $0.contains("SSMTWTF") }
            // “48m later; usual Fri 06:44”, where there is no room for columns.
            #expect(lines.contains { $0.contains(isStacked ? "usual" : "Usual") }, "\(width)")
            #expect(isStacked == (width < 64), "\(width)")
        }
        // All columns, on the days with the widest cells.
        #expect(lines(.summarized, width: 84).contains { $0.hasSuffix("Usual Fri    Mean  Before") })
        #expect(lines(.summarized, width: 78).contains { $0.hasSuffix("Usual Fri    Mean") })
    }

    @Test("is linear on request: without columns and charts, whatever the width")
    func linear() {
        let text = TextReport(report: .sample, width: 100, isLinear: true).rendered()
        #expect(!text.contains { "▁▂▃▄▅▆▇█·●○".dropFirst(0).contains($0) && $0 != "·" } && !text.contains("SSMTWTF"))
        #expect(text.contains("Active energy\n  1,655 kJ, +12 %; usual Fri 1,480 kJ"))
    }

    @Test("omits sections that are empty")
    func emptyReport() {
        #expect(lines(.empty) == ["Ada · no days · a test", "Nothing was tracked this week."])
    }

    @Test("never exceeds its width", arguments: [20, 21, 33, 40, 60, 80, 81, 120, 200])
    func width(width: Int) {
        for report in [WeeklyReport.sample, .hostile] {
            for line in lines(report, width: width) { #expect(line.columns <= width, "\(line)") }
        }
    }

    @Test("has a few lines for each attribute if there is no room for columns, and truncates nothing")
    func narrow() {
        let text = TextReport(report: .sample, width: 40).rendered()
        #expect(!text.contains("…"))
        let words = text.onOneLine
        #expect(words.contains("Time on very distracting things (phone and computer, all devices)"))
        #expect(words.contains("07:32, 48m later; usual Fri 06:44"))
    }

    @Test("contains no control characters but its own")
    func injection() {
        let text = TextReport(report: .hostile).rendered()
        #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control })
        let colored = TextReport(report: .hostile, color: true).rendered()
        #expect(colored.replacingOccurrences(of: "\u{1B}\\[[0-9]*m", with: "", options: .regularExpression) == text)
    }
}
