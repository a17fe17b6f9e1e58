import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeCommand

@Suite("The text report", .serialized)
struct TextReportTests {
    private func lines(_ report: Report = .sample, width: Int = 80) -> [String] {
        TextReport(report: report, width: width).rendered().split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init)
    }

    @Test(
        "Charts go from the lowest value to the highest; equal values are at middle height, and tags are circles",
        arguments: [
            ([10, 11, 12, 13, 14, 15, 16, 17], .quantity, "▁▂▃▄▅▆▇█"), ([-5, 0, 5], .decimal, "▁▅█"),
            ([0, nil, 7], .quantity, "▁·█"), ([nil, nil], .quantity, "··"), ([0, 0, nil], .scale, "▄▄·"),
            ([-3, -3, nil], .scale, "▄▄·"), ([1, 0, nil], .boolean, "●○·"),
        ] as [([Double?], Report.Kind, String)])
    func charts(week: [Double?], kind: Report.Kind, chart: String) {
        #expect(sparkline(week, kind: kind) == chart)
    }

    @Test("The latest text is quoted without line breaks, and with its day unless that is today")
    func quotes() {
        #expect(
            lines().contains { $0.hasPrefix("  Mood note  ") && $0.contains("  “Slept well & woke before the alarm.") })
        let rain = Report.Attribute(
            notes: "note", "Note", [nil, nil, "Rain.\n\u{1B}[31mAll day.", nil, nil, nil, nil])
        #expect(lines(.sample(of: rain)).contains("  Note  Mon “Rain. [31mAll day.”"))
        let long = Report.Attribute(notes: "note", "Note", [String(repeating: "word ", count: 40)])
        let text = lines(.sample(of: long, days: 1)).joined(separator: " ")
        #expect(text.components(separatedBy: "word").count == 41)
    }

    @Test("The mean is shown beside the mean of the days before, and empty sections are omitted")
    func summaries() {
        let steps = Report.Attribute(
            "steps", "Steps", .quantity, [6, 8, 7, 7, 7, 7, 1], usual: 7, soFar: true, mean: 7, before: 5.25)
        let lines = lines(.sample(of: steps))
        #expect(lines.contains { $0.hasSuffix("Today          Usual Fri  Mean  Before") })
        #expect(lines.contains { $0.hasSuffix("    1  so far          7     7     5.3") })
        #expect(self.lines(.empty) == ["Ada · no days · a test", "Nothing was tracked this week."])
    }

    @Test("The report has the usual value at every width; other columns are dropped first")
    func alwaysUsual() {
        for width in [20, 35, 63, 64, 70, 80, 81, 100] {
            let lines = lines(.summarized, width: width)
            let isStacked = !lines.contains { $0.contains("SSMTWTF") }
            // If there is no room for columns, the usual value is in a line such as “48m later; usual Fri 06:44”.
            #expect(lines.contains { $0.contains(isStacked ? "usual" : "Usual") }, "\(width)")
            #expect(isStacked == (width < 64), "\(width)")
        }
        // With the sample's widest cells, all columns fit a width of 84. At a width of 78, the last column is left out.
        #expect(lines(.summarized, width: 84).contains { $0.hasSuffix("Usual Fri    Mean  Before") })
        #expect(lines(.summarized, width: 78).contains { $0.hasSuffix("Usual Fri    Mean") })
    }

    static let outputs = widths.map { "text report, \($0) columns" }
    private static let widths = [40, 80]

    @Test("A colored report equals the text that the folder `Outputs` has for its width", arguments: widths)
    func looked(width: Int) throws {
        let text = TextReport(report: .summarized, width: width, color: true).rendered()
        try Outputs.expect(text, in: "text report, \(width) columns")
    }

    @Test(
        "The report fits its width, and has no trailing spaces and no control characters except its own styles",
        arguments: [20, 21, 33, 40, 60, 80, 81, 120, 200])
    func width(width: Int) {
        for report in [Report.sample, .hostile] {
            let text = TextReport(report: report, width: width).rendered()
            for line in text.split(separator: "\n") {
                #expect(String(line).columns <= width && line.last != " ", "\(line)")
            }
            #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control })
            let colored = TextReport(report: report, width: width, color: true).rendered()
            #expect(colored.replacing(#/\u{1B}\[[0-9]*m/#, with: "") == text)
            // Each style ends before the next style begins, and the last style of a line ends with the line.
            for line in colored.split(separator: "\n") {
                let codes = line.matches(of: #/\u{1B}\[([0-9]*)m/#).map(\.1)
                #expect(codes.enumerated().allSatisfy { ($1 == "0") == !$0.isMultiple(of: 2) } && codes.count % 2 == 0)
            }
        }
    }

    @Test(
        "If columns don't fit or aren't wanted, attributes are printed as lines of text with units, never truncated",
        arguments: [(24, false), (40, false), (100, true)])
    func stacked(width: Int, isLinear: Bool) {
        let walk = Report.Attribute(
            "walk", "Walk", .decimal, unit: "km", [3, 4], usual: 5, mean: 3.5, before: 2.5)
        let tag = Report.Attribute("tea", "Tea", .boolean, [1, 0], mean: 1, before: 2)
        let label = "Time on very distracting things (phone and computer, all devices)"
        let long = Report.Attribute("long", label, .duration, [52, 17], usual: 58)
        let report = Report.sample(of: walk, tag, long, days: 2)
        let words = TextReport(report: report, width: width, isLinear: isLinear).rendered().onOneLine
        let charts = isLinear ? ["", "", ""] : ["▁█ ", "●○ ", "█▁ "]
        for line in [
            "Walk \(charts[0])4.0 km, −1 km; usual Fri 5.0 km; mean 3.5 km; 2 days before 2.5 km",
            "Tea \(charts[1])1 of 2 days; 2 days before 2 days", "\(label) \(charts[2])17m, 41m less; usual Fri 58m",
        ] { #expect(words.contains(line), "\(words)") }
    }
}
