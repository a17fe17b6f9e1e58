import Foundation
import Testing

@testable import PledgeCommand

@Suite("The chart of a week", .serialized)
struct AttributeChartTests {
    private func chart(
        _ kind: Report.Kind, unit: String? = nil, _ week: [Double?], usual: [Double?] = [], soFar: Bool = false,
        label: String = "Any <b>"
    ) -> String {
        var attribute = Report.Attribute("any", label, kind, unit: unit, week, soFar: soFar)
        attribute.usual = usual
        return HTMLReport.AttributeChart(attribute, in: .sample).markup.source
    }

    private func marks(_ chart: String) -> [String: Int] {
        chart.matches(of: #/class="((bar|dot|line|tag|missing|usual)[^"]*)/#).reduce(into: [:]) {
            $0[String($1.1), default: 0] += 1
        }
    }

    private static let drawn: [(Report.Kind, String?, [Double?], [String: Int])] =
        [
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

    @Test(
        "Amounts are drawn as bars, values without a meaningful zero as dots, and tags as filled or hollow marks",
        arguments: drawn)
    func kinds(kind: Report.Kind, unit: String?, week: [Double?], drawn: [String: Int]) {
        #expect(marks(chart(kind, unit: unit, week)) == drawn)
    }

    @Test("A scale has labels for its ends; the scale of a heart rate doesn't begin at 0, and tags have no scale")
    func scale() {
        func labels(_ chart: String) -> [Substring] { chart.matches(of: #/class="scale"[^<>]*>([^<]+)/#).map(\.1) }
        #expect(labels(chart(.duration, [45, 90, nil], usual: [95])) == ["0m", "1h 35m"])
        #expect(labels(chart(.decimal, unit: "kg", [71.3, 72, 73.4])) == ["71.3", "73.4"])
        #expect(labels(chart(.quantity, unit: "bpm", [58, 62])) == ["58", "62"])
        #expect(labels(chart(.scale, [6, 7])) == ["1", "9"])
        #expect(labels(chart(.quantity, [0, 0])) == ["0"])
        #expect(labels(chart(.boolean, [0, 1])).isEmpty && labels(chart(.quantity, [1e14])).isEmpty)
        #expect(labels(chart(.quantity, [45, 60], label: "Heart rate variability")) == ["45", "60"])
    }

    @Test(
        "A chart stays inside its frame, even with extreme values",
        arguments: [[nil, nil], [0, 0], [5, 5], [1e308, -1e308], [-3, .leastNonzeroMagnitude]] as [[Double?]])
    func extremes(week: [Double?]) {
        for kind in [Report.Kind.quantity, .decimal, .timeOfDay, .percentage, .scale, .boolean] {
            let chart = chart(kind, week, usual: [week[0], week[0]])
            let heights = chart.matches(of: #/ (?:y|cy|y1|y2)="([^"]*)/#).map { Double($0.1) ?? -1 }
            #expect(!heights.isEmpty && heights.allSatisfy { 0...72 ~= $0 })
            #expect(!chart.contains("\"nan\"") && !chart.contains("\"inf\""))
        }
    }
}
