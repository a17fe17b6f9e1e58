import ExistKit

extension HTMLReport {
    /// A group and its attributes.
    func card(for group: WeeklyReport.Group, id: Int) -> HTML {
        let attributes = group.attributes.map { $0.kind == .text ? quotes(for: $0) : row(for: $0) }
        return """
            <section class="card" aria-labelledby="group-\(id)">
            <h2 id="group-\(id)" dir="auto">\(group.label)</h2>
            \(attributes)
            </section>
            """
    }

    private func row(for attribute: WeeklyReport.Attribute) -> HTML {
        let words = Comparison(attribute)
        let change: HTML? = words.change.map { "<span class=\"chip\">\($0)</span>" }
        let reference: HTML? = words.reference.map { "<p class=\"reference\">\($0)</p>" }
        return """
            <article class="attribute">
            <div>
            <h3 dir="auto">\(attribute.label)</h3>
            <p class="today">\(today(for: attribute)) \(change)</p>
            \(reference)
            </div>
            \(WeekChart(attribute, in: report).markup)
            </article>
            """
    }

    private func today(for attribute: WeeklyReport.Attribute) -> HTML {
        guard let today = attribute.today else { return "<span class=\"value none\" aria-hidden=\"true\">–</span>" }
        let parts = ValueText(attribute).parts(today)
        let unit = attribute.kind == .scale ? "of 9" : parts.unit
        let small: HTML? = unit.map { "<span class=\"unit\"> \($0)</span>" }
        return "<span class=\"value\">\(parts.number)\(small)</span>"
    }

    private func quotes(for attribute: WeeklyReport.Attribute) -> HTML {
        let notes = attribute.notes(on: report.days).map { note -> HTML in
            """
            <figure>
            <blockquote dir="auto">\(lines: note.text)</blockquote>
            <figcaption>\(time(for: note.day))</figcaption>
            </figure>
            """
        }
        let silence: HTML? =
            notes.isEmpty ? "<p class=\"today\"><span class=\"chip\">nothing this week</span></p>" : nil
        return """
            <article class="attribute notes">
            <h3 dir="auto">\(attribute.label)</h3>
            \(silence)\(notes)
            </article>
            """
    }

    /// A day by name, marked up for machines where it is one.
    func time(for day: String) -> HTML {
        let name = report.name(ofDay: day).capitalizedSentence
        return ExistDay(day) == nil ? "\(name)" : "<time datetime=\"\(day)\">\(name)</time>"
    }
}
