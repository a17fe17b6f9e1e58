import ExistKit

extension HTMLReport {
    /// Returns a card with a heading.
    func card(_ id: HTML, _ title: String, titleAttributes: HTML? = nil, _ content: HTML) -> HTML {
        """
        <section class="card" aria-labelledby="\(id)">
        <h2 id="\(id)"\(titleAttributes)>\(title)</h2>
        \(content)
        </section>
        """
    }

    /// Returns the card of a group and its attributes.
    func card(for group: WeeklyReport.Group, id: Int) -> HTML {
        let attributes = group.attributes.map { $0.kind == .text ? quotes(for: $0) : row(for: $0) }
        return card("group-\(id)", group.label, titleAttributes: " dir=\"auto\"", "\(attributes)")
    }

    private func row(for attribute: WeeklyReport.Attribute) -> HTML {
        let words = Comparison(attribute, in: report)
        let change: HTML? = words.change.map { "<span class=\"chip\">\($0)</span>" }
        let reference: HTML? = words.reference.map { "<p class=\"reference\">\(HTML(keepingUnits: $0))</p>" }
        let look: HTML = report.isWide ? "attribute long" : "attribute"
        return """
            <article class="\(look)">
            <div>
            <h3 dir="auto">\(attribute.label)</h3>
            <p class="today">\(latest(of: attribute)) \(change)</p>
            \(reference)
            \(summary(of: attribute))
            </div>
            \(WeekChart(attribute, in: report).markup)
            </article>
            """
    }

    /// Returns the last day's value, or else the latest value with its day; in a long report, the mean.
    private func latest(of attribute: WeeklyReport.Attribute) -> HTML {
        let none: HTML = "<span class=\"value none\" aria-hidden=\"true\">–</span>"
        if report.isLong { return attribute.summary?.value.map { mean($0, of: attribute) } ?? none }
        guard let latest = attribute.latest(on: report.days) else { return none }
        let parts = ValueText(attribute).parts(latest.value)
        let unit = attribute.kind == .scale ? "of 9" : parts.unit
        let small: HTML? = unit.map { "<span class=\"unit\"> \($0)</span>" }
        let day = report.days[latest.index]
        let isLast = latest.index == report.days.count - 1
        let when: HTML? = isLast ? nil : "<span class=\"unit\"> \(day.weekdayName)</span>"
        let look: HTML = isLast ? "value" : "value earlier"
        return "<span class=\"\(look)\">\(parts.number)\(small)\(when)</span>"
    }

    /// Returns the mean of the days in a long report.
    private func mean(_ value: Double, of attribute: WeeklyReport.Attribute) -> HTML {
        let unit: HTML? = attribute.kind == .boolean ? nil : "<span class=\"unit\"> a day</span>"
        return "<span class=\"value\">\(attribute.summaryText(value))\(unit)</span>"
    }

    private func summary(of attribute: WeeklyReport.Attribute) -> HTML? {
        guard !report.isLong, let summary = attribute.summary, let value = summary.value, value.isFinite else {
            return nil
        }
        let before = summary.before.flatMap { $0.isFinite ? "before \(attribute.summaryText($0))" : nil }
        // The comparison already shows how often a tag was set.
        let mean = summary.kind == .days ? nil : "a day \(attribute.summaryText(value))"
        let parts = [mean.map { before == nil ? $0 : $0 + "," }, before].compactMap(\.self)
        return parts.isEmpty
            ? nil : "<p class=\"reference\">\(parts.map { "<span class=\"together\">\($0)</span>" as HTML })</p>"
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

    /// Returns a day's name in a `time` element.
    func time(for day: ExistDay) -> HTML {
        "<time datetime=\"\(day.description)\">\(report.name(ofDay: day).capitalizedSentence)</time>"
    }
}

extension HTML {
    /// Creates markup that keeps each number on one line with the word after it, such as `1,844 kJ` and `1h 19m`.
    fileprivate init(keepingUnits text: String) {
        var parts: [[Substring]] = []
        for word in text.split(separator: " ") {
            let last = parts.last?.last
            let isUnit = last.map { ($0.first?.isNumber == true || $0.first == "−") } ?? false
            if isUnit { parts[parts.count - 1].append(word) } else { parts.append([word]) }
        }
        self = parts.reduce("") { line, words in
            let part: HTML =
                words.count == 1
                ? "\(String(words[0]))" : "<span class=\"together\">\(words.joined(separator: " "))</span>"
            return line.source.isEmpty ? part : "\(line) \(part)"
        }
    }
}
