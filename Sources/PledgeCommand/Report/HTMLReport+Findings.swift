extension HTMLReport {
    /// The card of correlations, with the strength and certainty of each.
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
        return """
            <section class="card" aria-labelledby="relations">
            <h2 id="relations">Relations</h2>
            <ul class="relations">
            \(items)
            </ul>
            </section>
            """
    }

    /// A card for each list, such as tasks, answers, or accounts.
    var lists: [HTML] {
        report.lists.enumerated().map { index, list in
            let items = list.entries.map { entry -> HTML in
                "<li><p class=\"when\">\(entry.mark)</p><p dir=\"auto\">\(lines: entry.text)</p></li>"
            }
            return """
                <section class="card" aria-labelledby="list\(index)">
                <h2 id="list\(index)">\(list.title)</h2>
                <ol class="timeline">
                \(items)
                </ol>
                </section>
                """
        }
    }

    /// The card of the service's insights, newest first.
    var noticed: HTML? {
        guard !report.insights.isEmpty else { return nil }
        let (insights, left) = report.shown(report.insights)
        let items = insights.map { insight -> HTML in
            let day = insight.day.map(time(for:)) ?? "Over time"
            return "<li><p class=\"when\">\(day)</p><p dir=\"auto\">\(lines: insight.text)</p></li>"
        }
        return """
            <section class="card" aria-labelledby="noticed">
            <h2 id="noticed">Noticed</h2>
            <ol class="timeline">
            \(items)
            </ol>
            \(more(left))
            </section>
            """
    }

    /// Returns a note that a list is shortened; nil if nothing is left out.
    func more(_ left: Int) -> HTML? { left == 0 ? nil : "<p class=\"reference\">\(WeeklyReport.more(left))</p>" }
}
