import Foundation
import Testing

@testable import PledgeCommand

@Suite("A week's chart", .serialized)
struct WeekChartTests {
    private func chart(
        _ kind: WeeklyReport.Kind, unit: String? = nil, _ week: [Double?], usual: Double? = nil, soFar: Bool = false
    ) -> String {
        let attribute = WeeklyReport.Attribute("any", "Any <b>", kind, unit: unit, week, usual: usual, soFar: soFar)
        return HTMLReport.WeekChart(attribute, in: .sample).markup.source
    }

    /// How many marks of each kind a chart has.
    private func marks(_ chart: String) -> [String: Int] {
        chart.occurrences(ofPattern: "class=\"(bar|dot|line|tag|missing|usual)[^\"]*").reduce(into: [:]) {
            $0[String($1.dropFirst(7)), default: 0] += 1
        }
    }

    @Test("describes in words what it shows")
    func description() {
        let chart = chart(.quantity, [1, 2, nil, 4, 5, 6, 7000], usual: 30.4)
        #expect(
            chart.contains(
                """
                role="img" aria-label="Any &lt;b&gt;: Sat 14 November: 1, usual 30; Sun 15 November: 2, usual 30; \
                Mon 16 November: no value, usual 30; Tue 17 November: 4, usual 30; Wed 18 November: 5, usual 30; \
                Thu 19 November: 6, usual 30; Fri 20 November: 7,000, usual 30"
                """))
        #expect(chart.contains("<title>Fri 20 November: 7,000, usual 30</title>"))
    }

    @Test("draws over each day what is usual on its weekday")
    func weekdays() {
        var attribute = WeeklyReport.Attribute("any", "Any", .quantity, [10, 0, 10, 10, 10, 10, 10])
        attribute.usual = [10, 0, nil, 5, 10, 10, 10]
        let chart = HTMLReport.WeekChart(attribute, in: .sample).markup.source
        #expect(marks(chart)["usual"] == 6)
        #expect(chart.contains("class=\"usual\" x1=\"24.8\" y1=\"6\" x2=\"43.2\" y2=\"6\""))
        #expect(chart.contains("class=\"usual\" x1=\"46.8\" y1=\"52\""))
        #expect(chart.contains("y1=\"29\""))
    }

    @Test(
        "draws amounts as bars, what falls below zero or whose zero means nothing as dots, and tags filled or hollow",
        arguments: [
            (.duration, nil, [1, 2, nil, 4, 0, 6, 7], ["bar past": 5, "bar now": 1, "missing": 1]),
            (.decimal, nil, [1, -2], ["dot past": 1, "dot now": 1, "line": 1]),
            (
                .boolean, nil, [1, 0, nil, 0, 1, 1, 0],
                ["tag past": 3, "tag off past": 2, "tag off now": 1, "missing": 1]
            ),
        ]
            + [
                (.scale, nil), (.timeOfDay, nil), (.percentage, nil), (.decimal, "°C"), (.decimal, "kg"),
                (.quantity, "bpm"),
            ].map { ($0, $1, [1, 2, nil, 4, 5, 6, 7], ["dot past": 5, "dot now": 1, "line": 5, "missing": 1]) }
            as [(WeeklyReport.Kind, String?, [Double?], [String: Int])])
    func kinds(kind: WeeklyReport.Kind, unit: String?, week: [Double?], drawn: [String: Int]) {
        #expect(marks(chart(kind, unit: unit, week)) == drawn)
    }

    @Test("draws a day that is not over as open, and labels it so")
    func open() {
        let chart = chart(.quantity, [1, 2, 3, 4, 5, 6, 2], soFar: true)
        #expect(marks(chart)["bar now open"] == 1 && chart.contains("Fri 20 November: 2 so far"))
    }

    @Test("gives the highest bar the full height, and a bar of half its value half of it")
    func heights() {
        let chart = chart(.quantity, [10, 5, 0, nil, nil, nil, nil])
        #expect(chart.contains("y=\"6\" width=\"12\" height=\"46\""))
        #expect(chart.contains("y=\"29\" width=\"12\" height=\"23\""))
        #expect(chart.contains("y=\"50.5\" width=\"12\" height=\"1.5\""))
    }

    @Test("has a scale: its least and its greatest value; a heart's rate has one of its own, and tags have none")
    func scale() {
        func labels(_ chart: String) -> [Substring] {
            chart.occurrences(ofPattern: "class=\"scale\"[^<]*").compactMap { $0.split(separator: ">").last }
        }
        #expect(labels(chart(.duration, [45, 90, nil], usual: 95)) == ["0m", "1h 35m"])
        #expect(labels(chart(.decimal, unit: "kg", [71.3, 72, 73.4])) == ["71.3", "73.4"])
        #expect(labels(chart(.quantity, unit: "bpm", [58, 62])) == ["58", "62"])
        #expect(labels(chart(.scale, [6, 7])) == ["1", "9"])
        #expect(labels(chart(.quantity, [0, 0])) == ["0"])
        #expect(labels(chart(.boolean, [0, 1])).isEmpty && labels(chart(.quantity, [1e14])).isEmpty)
        let variability = WeeklyReport.Attribute("hrv", "Heart rate variability", .quantity, [45, 60])
        #expect(labels(HTMLReport.WeekChart(variability, in: .sample).markup.source) == ["45", "60"])
    }

    @Test("marks the usual value, even if it is outside the week's range")
    func usual() {
        #expect(
            chart(.quantity, [1, 2, 3], usual: 6).contains("class=\"usual\" x1=\"18.3\" y1=\"6\" x2=\"36.7\" y2=\"6\""))
        #expect(!chart(.quantity, [1, 2, 3]).contains("class=\"usual\""))
    }

    @Test(
        "stays inside its frame",
        arguments: [[nil, nil], [0, 0], [5, 5], [1e308, -1e308], [-3, .leastNonzeroMagnitude]] as [[Double?]])
    func extremes(week: [Double?]) {
        for kind in [WeeklyReport.Kind.quantity, .decimal, .timeOfDay, .percentage, .scale, .boolean] {
            let chart = chart(kind, week, usual: week.first ?? nil)
            let heights = chart.occurrences(ofPattern: " (y|cy|y1|y2)=\"[^\"]*").map {
                Double($0.split(separator: "\"").last ?? "")
            }
            #expect(!heights.isEmpty)
            #expect(heights.allSatisfy { 0...72 ~= $0 ?? -1 })
            #expect(!chart.contains("\"nan\"") && !chart.contains("\"inf\""))
        }
    }
}
