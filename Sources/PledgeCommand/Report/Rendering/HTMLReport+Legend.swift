import PledgeCoding

extension HTMLReport {
    /// Returns a legend of the marks in these charts.
    func legend(of charts: [HTML]) -> HTML? {
        let latest = report.isLong ? "latest \(report.pace.name)" : report.lastDay
        let marks: [(looks: [String], drawing: HTML, meaning: String)] = [
            (["bar now", "dot now"], Self.bar("now"), latest),
            (["bar now open", "dot now open"], Self.bar("now open"), "\(report.lastDay) so far"),
            (["bar past", "dot past"], Self.bar("past"), "earlier"),
            (["usual"], "<line class=\"usual\" x1=\"0\" y1=\"8\" x2=\"18\" y2=\"8\"/>", "usual on that weekday"),
            (
                ["tag past", "tag now", "tag off past", "tag off now"],
                "<circle class=\"tag past\" cx=\"9\" cy=\"8\" r=\"5\"/>", "tagged"
            ),
            (["missing"], Self.cross(x: 9, y: 8), "no value"),
        ]
        let items = marks.filter { mark in
            mark.looks.contains { look in charts.contains { $0.source.contains("class=\"\(look)\"") } }
        }.map { mark -> HTML in
            "<li><svg viewBox=\"0 0 18 16\" aria-hidden=\"true\">\(mark.drawing)</svg> \(mark.meaning)</li>"
        }
        guard !items.isEmpty else { return nil }
        return """
            <ul class="legend" aria-label="In the charts">
            \(items)
            </ul>
            """
    }

    private static func bar(_ look: HTML) -> HTML {
        "<rect class=\"bar \(look)\" x=\"5\" y=\"2\" width=\"8\" height=\"12\" rx=\"1.5\"/>"
    }

    /// Returns the mark for a day without a value, which differs from zero.
    static func cross(x: Double, y: Double, size: Double = 1) -> HTML {
        let side = 5 * size
        return """
            <path class="missing" d="M\(x - side / 2) \(y - side / 2)l\(side) \(side)m0 \(-side)l\(-side) \(side)"/>
            """
    }

    /// Returns a bar for a correlation's strength, to the right of the middle if positive and to its left if negative.
    func strengthBar(for correlation: WeeklyReport.Correlation) -> HTML {
        let percentage = min(max(correlation.percentage.isFinite ? correlation.percentage : 0, -100), 100)
        let direction = percentage < 0 ? "against each other" : "together"
        let words = "\(NumberText.grouped(percentage.magnitude)) % \(direction)"
        return """
            <svg class="bar-of-strength" viewBox="-100 0 200 8" preserveAspectRatio="none" role="img" \
            aria-label="\(words)">
            <rect class="track" x="-100" y="2" width="200" height="4"/>
            <rect class="bar now" x="\(min(percentage, 0))" y="1" width="\(percentage.magnitude)" height="6"/>
            <rect class="middle" x="-0.4" y="0" width="0.8" height="8"/>
            </svg>
            """
    }
}
