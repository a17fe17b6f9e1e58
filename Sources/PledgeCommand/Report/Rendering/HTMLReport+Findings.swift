extension HTMLReport {
    var relations: HTML? {
        guard !report.correlations.isEmpty else { return nil }
        let items = report.correlations.map { correlation -> HTML in
            """
            <li>
            <p dir="auto">\(correlation.sentence.onOneLine.capitalizedSentence)</p>
            \(strengthBar(for: correlation))
            <p class="strength">\(correlation.strength)</p>
            </li>
            """
        }
        return card("relations", "Correlations", "<ul class=\"relations\">\n\(items)\n</ul>")
    }

    var lists: [HTML] {
        report.lists.enumerated().map { index, list in
            card("list\(index)", list.title, timeline(list.entries.map { ("\($0.mark)", $0.text) }))
        }
    }

    var noticed: HTML? {
        guard !report.insights.isEmpty else { return nil }
        let (insights, left) = report.shown(report.insights)
        let entries = insights.map { (mark: $0.day.map(time) ?? "Over time", text: $0.text) }
        return card("noticed", "Insights", "\(timeline(entries))\n\(more(left))")
    }

    private func timeline(_ entries: [(mark: HTML, text: String)]) -> HTML {
        let items = entries.map { mark, text -> HTML in
            "<li><p class=\"when\">\(mark)</p><p dir=\"auto\">\(lines: text)</p></li>"
        }
        return "<ol class=\"timeline\">\n\(items)\n</ol>"
    }

    func more(_ left: Int) -> HTML? { left == 0 ? nil : "<p class=\"reference\">\(WeeklyReport.more(left))</p>" }
}
