import PledgeTestSupport
import Testing

@testable import PledgeCommand

@Suite("Reports of many days", .serialized)
struct LongReportTests {
    /// Returns a report with an attribute whose values are 1, 2, 3, and so on, and with a tag on every second day.
    private func report(from first: String, days count: Int, soFar: Bool = false) -> Report {
        var report = Report.sample
        report.days = (0..<count).map { first.asDay.advanced(by: $0) }
        var steps = Report.Attribute("steps", "Steps", .quantity, (1...count).map(Double.init), soFar: soFar)
        steps.summary = .init(value: 6000, before: 5000)
        var tag = Report.Attribute("tea", "Tea", .boolean, (0..<count).map { Double($0 % 2) })
        tag.summary = .init(value: 30, before: 20)
        report.groups = [.init(name: "all", label: "All", attributes: [steps, tag])]
        return report
    }

    @Test(
        "A report has one bar per day, week, month, or year, depending on its number of days",
        arguments: [
            (31, ReportPace.day, 31), (32, .week, 5), (366, .week, 53), (371, .week, 53), (372, .month, 13),
            (1_830, .month, 61), (1_831, .year, 6),
        ])
    func pace(days: Int, pace: ReportPace, buckets: Int) {
        let report = self.report(from: "2024-01-01", days: days)
        #expect(report.pace == pace && report.buckets.count == buckets)
        #expect(report.buckets.flatMap { Array($0) } == Array(0..<days))
        #expect([10, 11].map { self.report(from: "2024-01-01", days: $0).isWide } == [false, true])
    }

    @Test("The weeks of a chart begin on Mondays, and the chart has the initials of the months")
    func buckets() {
        // The report begins on a Thursday.
        let report = self.report(from: "2026-01-01", days: 90)
        #expect(report.buckets.prefix(3).map(\.count) == [4, 7, 7])
        #expect(report.name(of: report.buckets[1]) == "Mon 5 – Sun 11 January 2026")
        #expect(String(report.bucketInitials.map { $0 ?? " " }) == "J   F   M     ")
    }

    @Test("A bar shows a week's mean, or the share of days on which a tag was set; days that aren't over don't count")
    func means() {
        for (soFar, last) in [(false, 39), (true, 38.5)] {
            let report = self.report(from: "2026-01-05", days: 42, soFar: soFar)
            let (steps, tag) = (report.groups[0].attributes[0], report.groups[0].attributes[1])
            #expect(steps.buckets(in: report) == [4, 11, 18, 25, 32, last])
            #expect(tag.bucketKind(in: report) == .percentage && tag.buckets(in: report)[0] == 3.0 / 7)
            var gap = steps
            gap.week = Array(repeating: nil, count: 42)
            #expect(gap.buckets(in: report) == Array(repeating: nil, count: 6))
        }
    }

    @Test("A long report compares its mean with the mean of the days before, as text and as HTML")
    func comparison() {
        let report = self.report(from: "2026-01-05", days: 70)
        let (steps, tag) = (report.groups[0].attributes[0], report.groups[0].attributes[1])
        #expect(report.change(of: steps) == "+20 %" && report.comparisons(of: steps) == ["70 days before 5,000"])
        #expect(report.shown(tag)?.unit == "of 70 days" && report.comparisons(of: tag) == ["70 days before 20 days"])
        let lines = TextReport(report: report).rendered().split(separator: "\n").map(String.init)
        #expect(lines.contains { $0.hasPrefix("All") && $0.contains("J  F   M  ") && $0.contains("Mean") })
        #expect(lines.contains { $0.contains("Steps") && $0.contains("6,000") && $0.hasSuffix("5,000") })
        #expect(!lines.contains { $0.contains("“Usual”") } && lines[0].contains("2026"))
        let page = HTMLReport(report: report).rendered()
        #expect(page.contains("6,000") && page.contains("Mon 5 – Sun 11 January 2026: mean 4</title>"))
        #expect(page.contains("latest week") && !page.contains("usual on that weekday"))
        #expect(TextReport(report: report, width: 20).rendered().contains("mean 6,000"))
    }

    static let outputs = charts.map { "chart of \($0.days) days" }
    private static let charts: [(first: String, days: Int, names: String)] = [
        ("2026-01-05", 14, "11 18"), ("2026-01-05", 42, "J F"), ("2023-01-01", 700, "J F M A M J J A S O N D"),
        ("2022-06-01", 1200, "2023 2024 2025"), ("2018-06-01", 3000, "2018 2019 2020"),
        ("1975-01-01", 18_000, "1980 1990 2000"),
    ]

    @Test("A long report's charts are as wide as a card, and have as many labels as fit", arguments: charts)
    func letters(first: String, days: Int, names: String) throws {
        let report = self.report(from: first, days: days)
        let chart = HTMLReport.AttributeChart(report.groups[0].attributes[0], in: report).markup.source
        let shown = chart.matches(of: #/<text class="(?:past|now)[^<>]*>([^<]+)/#).map { String($0.1) }
        #expect(shown.joined(separator: " ").hasPrefix(names))
        // Each element is on its own line, so that a diff shows what has changed.
        try Outputs.expect(chart.replacing("><", with: ">\n<"), in: "chart of \(days) days")
    }

    @Test("A long report shows its newest insights and texts, and earlier ones on request; it merges repeated insights")
    func lists() {
        var report = self.report(from: "2026-01-05", days: 70)
        report.insights = (1...25).map { .init(day: "2026-02-01".asDay, text: "Insight \($0).") }
        report.insights.insert(.init(day: nil, text: "Insight 1.\nA repeat"), at: 3)
        report.groups[0].attributes.append(.init(notes: "note", "Note", (1...70).map { "Text \($0)." }))
        let (text, page) = (TextReport(report: report).rendered(), HTMLReport(report: report).rendered())
        #expect(text.contains("Insight 5.") && !text.contains("Insight 6.") && !text.contains("A repeat"))
        #expect(text.contains("(and 1 earlier like it)") && text.contains("And 20 earlier ones (--all)."))
        let parts = page.components(separatedBy: "<summary>")
        #expect(parts[0].contains("Text 69.") && parts[1].hasPrefix("68 earlier<") && parts[1].contains("Text 1."))
        #expect(
            parts[1].contains("Insight 5.") && parts[2].hasPrefix("20 earlier<") && parts[2].contains("Insight 25."))
    }
}
