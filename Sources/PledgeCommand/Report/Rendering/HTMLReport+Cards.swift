import ExistKit

extension HTMLReport {
    func card(_ id: HTML, _ title: String, titleAttributes: HTML? = nil, _ content: HTML) -> HTML {
        """
        <section class="card" aria-labelledby="\(id)">
        <h2 id="\(id)"\(titleAttributes)>\(title)</h2>
        \(content)
        </section>
        """
    }

    func card(for group: WeeklyReport.Group, id: Int) -> HTML {
        let attributes = group.attributes.map { $0.kind == .text ? quotes(for: $0) : row(for: $0) }
        return card("group-\(id)", group.label, titleAttributes: " dir=\"auto\"", "\(attributes)")
    }

    private func row(for attribute: WeeklyReport.Attribute) -> HTML {
        let words = Comparison(attribute, in: report)
        let change: HTML? = words.change.map { "<span class=\"chip\">\($0)</span>" }
        let reference: HTML? = words.reference.map { "<p class=\"reference\">\(keepingUnits: $0)</p>" }
        let means = report.isLong ? [] : attribute.meansInWords
        let summary: HTML? = means.isEmpty ? nil : "<p class=\"reference\">\(phrases: means)</p>"
        let look: HTML = report.isWide ? "attribute long" : "attribute"
        return """
            <article class="\(look)">
            <div>
            <h3 dir="auto">\(attribute.label)</h3>
            <p class="today">\(latest(of: attribute)) \(change)</p>
            \(reference)
            \(summary)
            </div>
            \(WeekChart(attribute, in: report).markup)
            </article>
            """
    }

    /// Returns the last day's value, or else the latest one with its day; in a long report, the mean.
    private func latest(of attribute: WeeklyReport.Attribute) -> HTML {
        let none: HTML = "<span class=\"value none\" aria-hidden=\"true\">–</span>"
        func unit(_ text: String?) -> HTML? { text.map { "<span class=\"unit\"> \($0)</span>" } }
        if report.isLong {
            let name = attribute.kind == .boolean ? nil : "a day"
            guard let mean = attribute.summary?.value else { return none }
            return "<span class=\"value\">\(attribute.summaryText(mean))\(unit(name))</span>"
        }
        guard let latest = attribute.latest(on: report.days) else { return none }
        let parts = ValueText(attribute).parts(latest.value)
        let isLast = latest.index == report.days.count - 1
        let day = unit(isLast ? nil : report.days[latest.index].weekdayName)
        let look: HTML = isLast ? "value" : "value earlier"
        let scale = unit(attribute.kind == .scale ? "of 9" : parts.unit)
        return "<span class=\"\(look)\">\(parts.number)\(scale)\(day)</span>"
    }

    private func quotes(for attribute: WeeklyReport.Attribute) -> HTML {
        let (shown, left) = report.shown(attribute.notes(on: report.days))
        let notes = shown.map { note -> HTML in
            """
            <figure>
            <blockquote dir="auto">\(lines: note.text)</blockquote>
            <figcaption>\(time(for: note.day))</figcaption>
            </figure>
            """
        }
        let emptyMessage: HTML? =
            notes.isEmpty ? "<p class=\"today\"><span class=\"chip\">nothing \(report.spanInWords)</span></p>" : nil
        return """
            <article class="attribute notes">
            <h3 dir="auto">\(attribute.label)</h3>
            \(emptyMessage)\(notes)\(more(left))
            </article>
            """
    }

    func time(for day: ExistDay) -> HTML {
        "<time datetime=\"\(day.description)\">\(report.name(ofDay: day).capitalizedSentence)</time>"
    }
}
