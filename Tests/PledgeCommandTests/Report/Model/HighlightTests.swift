import Testing

@testable import PledgeCommand

@Suite("The highlights of a report")
struct HighlightTests {
    private func attribute(
        _ name: String, _ week: [Double?], _ kind: Report.Kind = .quantity, usual: Double?,
        before: [Double?] = []
    ) -> Report.Attribute {
        var attribute = Report.Attribute(name, name, kind, week)
        attribute.summary = .init(kind, week[...], usual: week.map { _ in usual }, before: before)
        return attribute
    }

    private func report(_ attributes: [(String, Report.Attribute)]) -> Report {
        var report = Report.sample
        report.groups = attributes.map { .init(name: $0.0, label: $0.0, attributes: [$0.1]) }
        return report
    }

    @Test("Highlights are mood and sleep, and then the numbers that changed most relative to their usual variation")
    func order() {
        let steady = [90.0, 100, 110, 100, 100, 100, 100]
        let report = report([
            ("weather", attribute("rain", steady, usual: 500)), ("tags", attribute("tea", [1], .boolean, usual: 0)),
            ("media", attribute("songs", [0, 200, 0, 200, 100, 100, 100], usual: 200)),
            ("activity", attribute("steps", steady, usual: 150)), ("food", attribute("water", steady, usual: 100.1)),
            ("sleep", attribute("sleep", [440, 450], .duration, usual: 460)),
            ("mood", attribute("mood", [5, 7], .scale, usual: nil, before: [6])),
        ])
        #expect(report.highlights.map(\.label) == ["mood", "sleep", "steps", "songs"])
        let words = report.highlights.map { [$0.number, $0.unit ?? "", $0.change, $0.baseline, $0.usual] }
        #expect(words[0] == ["6", "of 9", "as before", "week before", "6 of 9"])
        #expect(words[1] == ["7h 25m", "", "15m less", "usual week", "7h 40m"])
        #expect(words[2] == ["100", "", "−33 %", "usual week", "150"])
    }

    @Test("A number that always varies is not a highlight, even if this week was steady")
    func varying() {
        let steady = [100.0, 101, 99, 100, 100, 101, 99]
        let varying: [Double] = [0, 300, 40, 260, 150, 10, 290]
        func labels(before: [Double]) -> [String] {
            report([("media", attribute("pages", steady, usual: 150, before: before))]).highlights.map(\.label)
        }
        #expect(labels(before: varying) == [] && labels(before: steady.map { $0 + 50 }) == ["pages"])
    }

    @Test("A highlight must also differ from the days before, because the usual value of a rare event is 0")
    func median() {
        let drinks: [Double] = [0, 0, 1, 2, 0, 2, 1]
        func labels(before: [Double]) -> [String] {
            report([("food", attribute("drinks", drinks, usual: 0, before: before))]).highlights.map(\.label)
        }
        #expect(labels(before: drinks) == [] && labels(before: [0, 0, 0, 0, 0, 0, 0]) == ["drinks"])
        let always = attribute("tea", [2, 2], usual: 1, before: [2, 2])
        #expect(report([("food", always)]).highlights.isEmpty)
    }

    @Test("A highlight differs by more than two standard errors; for two means, the error of their difference counts")
    func unusual() {
        func isShown(_ week: [Double?], usual: Double?, before: [Double?] = []) -> Bool {
            let attribute = attribute("a", week, .decimal, usual: usual, before: before)
            return !report([("group", attribute)]).highlights.isEmpty
        }
        // The values 99 and 101 have the mean 100, whose standard error is 1.
        #expect(isShown([99, 101], usual: 102.1) && !isShown([99, 101], usual: 101.9))
        // Here, two means are compared. Each mean has a standard error of √0.5, so their difference has a standard
        // error of 1.
        #expect(isShown([99, 101], usual: nil, before: [102.1, 102.1]))
        #expect(!isShown([99, 101], usual: nil, before: [101.9, 101.9]))
        // The standard error isn't known for a single day, so a single day is never a highlight.
        #expect(!isShown([100], usual: 900) && isShown([100, 100], usual: 900))
        let summary = Report.Summary(.decimal, [1, nil, 3], before: [10, 14, 12])
        #expect(summary.standardError == (10.0 / 3 / 2).squareRoot())
        #expect(Report.Summary(.boolean, [0, 1], before: [0, 1]).standardError == nil)
    }

    @Test("A report has at most five highlights, and at most one for each group")
    func few() {
        let others = (1...9).map { ("group\($0 / 2)", attribute("a\($0)", [100, 101], usual: Double($0) * 200)) }
        let highlights = report(others).highlights.map(\.label)
        #expect(highlights == ["a9", "a8", "a7", "a6", "a5"])
        let mood = ("mood", attribute("mood", [5, 7], .scale, usual: 5))
        #expect(report([mood] + others).highlights.map(\.label) == ["mood", "a9", "a8", "a7", "a6"])
        var one = report([])
        let none = attribute("none", [0, 0], usual: 0)
        one.groups = [.init(name: "group", label: "Group", attributes: [none] + others.map(\.1))]
        #expect(one.highlights.map(\.label) == ["a9"])
        one.days.removeFirst()
        #expect(one.highlights.map { [$0.baseline, $0.usual] } == [["usual", "1,800"]])
    }
}
