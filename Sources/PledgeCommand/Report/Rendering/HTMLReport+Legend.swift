extension HTMLReport {
    /// Returns a legend of the marks in these charts.
    func legend(of charts: [HTML]) -> HTML? {
        func bar(_ look: HTML) -> HTML {
            "<rect class=\"bar \(look)\" x=\"5\" y=\"2\" width=\"8\" height=\"12\" rx=\"1.5\"/>"
        }
        let source = charts.map(\.source).joined()
        let marks: [(look: String, drawing: HTML, meaning: String)] = [
            (" now\"", bar("now"), report.isLong ? "latest \(report.pace.name)" : report.lastDay),
            (" now open\"", bar("now open"), "\(report.lastDay) so far"),
            ("\"usual\"", "<line class=\"usual\" x1=\"0\" y1=\"8\" x2=\"18\" y2=\"8\"/>", "usual on that weekday"),
            ("\"missing\"", Self.cross(x: 9, y: 8), "no value"),
        ]
        let items = marks.filter { source.contains($0.look) }.map { mark -> HTML in
            "<li><svg viewBox=\"0 0 18 16\" aria-hidden=\"true\">\(mark.drawing)</svg> \(mark.meaning)</li>"
        }
        return items.isEmpty ? nil : "<ul class=\"legend\" aria-label=\"In the charts\">\n\(items)\n</ul>"
    }

    /// Returns the mark for a day without a value, which differs from zero.
    static func cross(x: Double, y: Double, size: Double = 1) -> HTML {
        let side = 5 * size
        return """
            <path class="missing" d="M\(x - side / 2) \(y - side / 2)l\(side) \(side)m0 \(-side)l\(-side) \(side)"/>
            """
    }
}
