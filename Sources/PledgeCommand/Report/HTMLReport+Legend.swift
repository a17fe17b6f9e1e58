extension HTMLReport {
    /// The four marks a reader has to know, drawn as they appear in the charts.
    var legend: HTML {
        let marks: [(drawing: HTML, meaning: String)] = [
            ("<rect class=\"bar now\" x=\"5\" y=\"2\" width=\"8\" height=\"12\" rx=\"1.5\"/>", "today"),
            ("<rect class=\"bar past\" x=\"5\" y=\"2\" width=\"8\" height=\"12\" rx=\"1.5\"/>", "earlier"),
            ("<line class=\"usual\" x1=\"0\" y1=\"8\" x2=\"18\" y2=\"8\"/>", "usual"),
            (Self.cross(x: 9, y: 8), "no value"),
        ]
        let items = marks.map { mark -> HTML in
            "<li><svg viewBox=\"0 0 18 16\" aria-hidden=\"true\">\(mark.drawing)</svg> \(mark.meaning)</li>"
        }
        return """
            <ul class="legend" aria-label="In the charts">
            \(items)
            </ul>
            """
    }

    /// The mark of a day without a value, unlike any value in shape: zero is a value.
    static func cross(x: Double, y: Double) -> HTML {
        "<path class=\"missing\" d=\"M\(x - 2.5) \(y - 2.5)l5 5m0 -5l-5 5\"/>"
    }

    /// How strongly two things go together, to the right of the middle, or against each other, to its left.
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
