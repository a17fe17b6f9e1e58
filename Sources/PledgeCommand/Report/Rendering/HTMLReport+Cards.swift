extension HTMLReport {
    func card(_ id: HTML, _ title: String, _ content: HTML) -> HTML {
        """
        <section class="card" aria-labelledby="\(id)">
        <h2 id="\(id)" dir="auto">\(title)</h2>
        \(content)
        </section>
        """
    }

    func row(for attribute: WeeklyReport.Attribute) -> HTML {
        let look: HTML = report.isWide ? "attribute long" : "attribute"
        let comparisons = report.comparisons(of: attribute)
        let shown = report.shown(attribute)
        let units = [shown?.unit, report.isLong && attribute.kind != .boolean ? "mean" : nil, shown?.day]
        let value = value(
            shown?.number, units.compactMap(\.self), isEarlier: shown?.day != nil, change: report.change(of: attribute))
        return """
            <article class="\(look)">
            <div>
            <h3 dir="auto">\(attribute.label)</h3>
            \(value)
            </div>
            \(WeekChart(attribute, in: report).markup)
            \(comparisons.isEmpty ? nil : "<p class=\"reference\">\(phrases: comparisons)</p>")
            </article>
            """
    }

    private func value(_ number: String?, _ units: [String], isEarlier: Bool = false, change: String?) -> HTML {
        let look: HTML = number == nil || isEarlier ? "value earlier" : "value"
        let whole = units.reduce("\(number ?? "–")" as HTML) { "\($0)<span class=\"unit\"> \($1)</span>" }
        let chip: HTML? = change.map { "<span class=\"chip\">\($0)</span>" }
        return "<p class=\"today\"><span class=\"\(look)\">\(whole)</span> \(chip)</p>"
    }

    var glance: HTML? {
        guard !report.highlights.isEmpty else { return nil }
        let tiles = report.highlights.map { highlight -> HTML in
            """
            <article>
            <h3 dir="auto">\(highlight.label)</h3>
            \(value(highlight.number, [highlight.unit].compactMap(\.self), change: highlight.change))
            <p class="reference">\(phrases: [highlight.baseline])</p>
            </article>
            """
        }
        return card("glance", "At a glance", "<div class=\"tiles\">\n\(tiles)\n</div>")
    }

    func quotes(for attribute: WeeklyReport.Attribute) -> HTML {
        let notes = attribute.notes(on: report.days).map { note -> HTML in
            """
            <figure>
            <blockquote dir="auto">\(lines: note.text)</blockquote>
            <figcaption>\(report.mark(note.day))</figcaption>
            </figure>
            """
        }
        let none = notes.isEmpty ? value(nil, [], change: "nothing \(report.spanInWords)") : nil
        return """
            <article class="attribute notes">
            <h3 dir="auto">\(attribute.label)</h3>
            \(none)\(folded(notes, "earlier", most: 2) { "\($0)" })
            </article>
            """
    }
}
