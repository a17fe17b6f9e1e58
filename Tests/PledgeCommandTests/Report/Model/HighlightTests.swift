import Testing

@testable import PledgeCommand

@Suite("The highlights of a report")
struct HighlightTests {
    private func attribute(
        _ name: String, _ week: [Double?], _ kind: WeeklyReport.Kind = .quantity, usual: Double?, before: Double? = nil
    ) -> WeeklyReport.Attribute {
        var attribute = WeeklyReport.Attribute(name, name, kind, week)
        let mean = week.compactMap(\.self).reduce(0, +) / Double(week.count)
        attribute.summary = .init(value: mean, usual: usual, before: before)
        return attribute
    }

    private func report(_ attributes: [(String, WeeklyReport.Attribute)]) -> WeeklyReport {
        var report = WeeklyReport.sample
        report.groups = attributes.map { .init(name: $0.0, label: $0.0, attributes: [$0.1]) }
        return report
    }

    @Test("are mood and sleep, and then what differs most, in relation to how much it varies")
    func order() {
        let steady = [90.0, 100, 110, 100, 100, 100, 100]
        let report = report([
            ("weather", attribute("rain", steady, usual: 500)), ("tags", attribute("tea", [1], .boolean, usual: 0)),
            ("media", attribute("songs", [0, 200, 0, 200, 100, 100, 100], usual: 150)),
            ("activity", attribute("steps", steady, usual: 150)), ("food", attribute("water", steady, usual: 100.1)),
            ("sleep", attribute("sleep", [440, 450], .duration, usual: 460)),
            ("mood", attribute("mood", [5, 7], .scale, usual: nil, before: 6)),
        ])
        #expect(report.highlights.map(\.label) == ["mood", "sleep", "steps", "songs"])
        let words = report.highlights.map { [$0.number, $0.unit ?? "", $0.change, $0.baseline] }
        #expect(words[0] == ["6", "of 9", "as before", "week before 6 of 9"])
        #expect(words[1] == ["7h 25m", "", "15m less", "usual week 7h 40m"])
        #expect(words[2] == ["100", "", "−33 %", "usual week 150"])
    }

    @Test("are five at most, and of each group one")
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
        #expect(one.highlights.map(\.baseline) == ["usual 1,800"])
    }
}
