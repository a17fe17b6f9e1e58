import ExistKit

/// A report as a web page. The page has no scripts and loads nothing, so that it can be read offline and printed.
struct HTMLReport {
    let report: Report

    func rendered() -> String {
        let groups = report.groups.enumerated().map { index, group in
            let attributes = group.attributes.map { $0.kind == .text ? quotes(for: $0) : row(for: $0) }
            return card("group-\(index + 1)", group.label, "\(attributes)")
        }
        let demo: HTML? = report.demo ? "<p class=\"demo\" role=\"note\">\(Listing.demoNote)</p>" : nil
        let empty: HTML = "<p class=\"legend\">Nothing was tracked \(report.spanInWords).</p>"
        let page: HTML = """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" \
            content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(report.person), \(report.daysInWords(withYear: true))</title>
            <style>
            \(Self.style)
            </style>
            </head>
            <body>
            <header>
            \(demo)
            <p class="reference">\(report.title) of <bdi>\(report.person)</bdi></p>
            <h1>\(report.daysInWords(withYear: true))</h1>
            </header>
            <main>
            \(glance)
            \(groups.isEmpty ? empty : legend)
            <div class="cards">
            \(groups)
            \(lists)
            </div>
            </main>
            <footer>
            <p>From \(report.source).</p>
            \(report.notes.map { "<p>\($0)</p>" as HTML })
            </footer>
            </body>
            </html>

            """
        return page.source
    }
}

extension HTMLReport {
    func card(_ id: HTML, _ title: String, _ content: HTML) -> HTML {
        """
        <section class="card" aria-labelledby="\(id)">
        <h2 id="\(id)" dir="auto">\(title)</h2>
        \(content)
        </section>
        """
    }

    func row(for attribute: Report.Attribute) -> HTML {
        let look: HTML = report.isWide ? "attribute long" : "attribute"
        let comparisons = report.comparisons(of: attribute).map { "<li>\(unbroken: $0)</li>" as HTML }
        let shown = report.shown(attribute)
        let units = [shown?.unit, report.isLong && attribute.kind != .boolean ? "mean" : nil, shown?.day]
        let value = value(
            shown?.number, units.compactMap(\.self), isEarlier: shown?.day != nil, change: report.change(of: attribute))
        return """
            <article class="\(look)">
            <h3 dir="auto">\(attribute.label)</h3>
            \(value)
            \(comparisons.isEmpty ? nil : "<ul class=\"reference\">\n\(comparisons)\n</ul>")
            \(AttributeChart(attribute, in: report).markup)
            </article>
            """
    }

    private func value(_ number: String?, _ units: [String], isEarlier: Bool = false, change: String?) -> HTML {
        let look: HTML = number == nil || isEarlier ? "value earlier" : "value"
        let whole = units.reduce("\(unbroken: number ?? "–")" as HTML) {
            "\($0)<span class=\"unit\">&nbsp;\(unbroken: $1)</span>"
        }
        let chip: HTML? = change.map { "<span class=\"chip\">\(unbroken: $0)</span>" }
        return "<p class=\"today\"><span class=\"\(look)\">\(whole)</span> \(chip)</p>"
    }

    var glance: HTML? {
        guard !report.highlights.isEmpty else { return nil }
        let tiles = report.highlights.map { highlight -> HTML in
            """
            <article>
            <h3 dir="auto">\(highlight.label)</h3>
            \(value(highlight.number, [highlight.unit].compactMap(\.self), change: highlight.change))
            <p class="reference">\(highlight.baseline) \(unbroken: highlight.usual)</p>
            </article>
            """
        }
        return card("glance", "At a glance", "<div class=\"tiles\">\n\(tiles)\n</div>")
    }

    func quotes(for attribute: Report.Attribute) -> HTML {
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

extension HTMLReport {
    /// A small chart of one attribute. The least and the greatest value label its scale.
    ///
    /// Amounts are drawn as bars that begin at zero. For other values, such as moods, times of day, temperatures, or
    /// body weight, zero has no meaning, and the length of a bar would suggest a proportion. They are drawn as dots
    /// that are connected by a line.
    struct AttributeChart {
        private let attribute: Report.Attribute
        private let report: Report
        private let buckets: [Range<Int>]
        private let values: [Double?]
        private let usual: [Double?]
        private let words: ValueText
        private let isTag: Bool
        private let isMeasuredFromZero: Bool
        private let range: ClosedRange<Double>
        /// The least and the greatest value, with their labels. Empty for tags, if there are no values, and if a label
        /// would be too long.
        private let scale: [(value: Double, label: String)]
        /// The x coordinate at which the first day begins. The labels of the scale are to the left of it.
        private let start: Double
        private let slot: Double

        init(_ attribute: Report.Attribute, in report: Report) {
            self.attribute = attribute
            self.report = report
            buckets = report.buckets
            values = attribute.buckets(in: report)
            usual = attribute.kind == .boolean || report.isLong ? [] : attribute.usual
            words = ValueText(attribute)
            isTag = attribute.bucketKind(in: report) == .boolean
            let shown = (values + usual).compactMap(\.self)
            isMeasuredFromZero =
                attribute.bucketKind(in: report) != attribute.kind
                || attribute.kind.isAmount(unit: attribute.unit, label: attribute.label) && !shown.contains { $0 < 0 }
            let least = shown.min() ?? 0
            let greatest = shown.max() ?? 0
            // The range gets a minimum size, so that differences of a few minutes or grams don't fill the whole height,
            // and a steady week looks steady.
            let smallest = attribute.kind == .timeOfDay ? 60 : max(greatest.magnitude, least.magnitude, 0.01) * 0.02
            let margin = max(0, smallest - (greatest - least)) / 2
            range =
                attribute.kind == .scale
                ? min(least, 1)...max(greatest, 9)
                : isMeasuredFromZero ? 0...greatest : (least - margin)...(greatest + margin)
            let bare = ValueText(attribute, hasUnit: false)
            let marks = [range.lowerBound, range.upperBound].map { ($0, bare.average($0)) }
            scale = isTag || shown.isEmpty || marks.contains { $0.1.count > Layout.longestLabel } ? [] : marks
            start = scale.map { Double($0.label.count) * Layout.digit + 10 }.max() ?? 0
            // A wide chart has a fixed width, which its buckets share. So its letters have the same size, no matter how
            // many buckets there are.
            slot = report.isWide ? (Layout.wide - start) / Double(max(buckets.count, 1)) : Layout.slot
        }

        /// Whether the last mark is of a day that isn't over.
        fileprivate var isOpen: Bool { attribute.soFar && !report.isLong }
        private var hasLast: Bool { values.last.map { $0 != nil } ?? false }

        // The kinds of marks in the chart, for the legend.
        var hasLatest: Bool { hasLast && !isOpen }
        var hasOpen: Bool { hasLast && isOpen }
        var hasUsual: Bool { usual.contains { $0 != nil } }
        var hasMissing: Bool { values.contains { $0 == nil } }

        /// The chart as an inline SVG image with a description for screen readers.
        var markup: HTML {
            let description = "\(attribute.label): \(values.indices.map(sentence).joined(separator: "; "))"
            // The width is in rem, so that the chart scales with the text of the page, which is smaller in print.
            return """
                <svg class="week" viewBox="0 0 \(width) \(height)" width="\(width / 16)rem" role="img" \
                aria-label="\(description)">
                \(rules)
                \(isTag ? circles : isMeasuredFromZero ? bars : connections + circles)
                \(usualLines)
                \(slots)
                </svg>
                """
        }
    }
}

extension HTMLReport.AttributeChart {
    private enum Layout {
        static let slot = 20.0
        static let wide = 330.0
        /// The width of a character in a bucket's label. `digit` is the width of a character in the scale's labels.
        static let character = 7.8
        static let digit = 6.5
        static let longestLabel = 9
        static let letter = 11.0
        static let height = 72.0
        static let tagHeight = 44.0
        static let top = 6.0
        static let bottom = 52.0
        /// The y coordinate at which tags are drawn. `initials` is the distance of the buckets' labels from the bottom
        /// of the chart.
        static let tags = 16.0
        static let initials = 5.0
    }

    private var height: Double { isTag ? Layout.tagHeight : Layout.height }
    private var width: Double { start + Double(values.count) * slot }
    private var barWidth: Double { min(slot * 6 / 11, 20) }
    /// The size of dots and crosses, relative to their size in a chart of one week.
    private var size: Double { min(max(slot / Layout.slot, 0.4), 1) }

    private func center(of index: Int) -> Double { start + (Double(index) + 0.5) * slot }

    private func emphasis(of index: Int) -> HTML {
        index < values.count - 1 ? "past" : isOpen ? "now open" : "now"
    }

    private func y(of value: Double) -> Double {
        // If every day is zero, this divides zero by zero, and the result is NaN.
        let share = (value - range.lowerBound) / (range.upperBound - range.lowerBound)
        return Layout.bottom - (share.isFinite ? share : 0) * (Layout.bottom - Layout.top)
    }

    /// The lines of the scale, with their labels: a line at the greatest value and a line at the least value. If all
    /// values are equal, there is only one line.
    private var rules: [HTML] {
        scale.prefix(range.lowerBound == range.upperBound ? 1 : 2).map { value, label in
            let level = y(of: value)
            return """
                \(line("rule", start, level, width, level))\
                <text class="scale" x="\(start - 4)" y="\(level + 3.5)">\(label)</text>
                """
        }
    }

    private func line(_ look: HTML, _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) -> HTML {
        "<line class=\"\(look)\" x1=\"\(x1)\" y1=\"\(y1)\" x2=\"\(x2)\" y2=\"\(y2)\"/>"
    }

    private func marks(of values: [Double?], _ mark: (_ index: Int, _ value: Double) -> HTML) -> [HTML] {
        values.enumerated().compactMap { index, value in value.map { mark(index, $0) } }
    }

    private var bars: [HTML] {
        marks(of: values) { index, value in
            let top = min(y(of: value), Layout.bottom - 1.5)
            return """
                <rect class="bar \(emphasis(of: index))" x="\(center(of: index) - barWidth / 2)" y="\(top)" \
                width="\(barWidth)" height="\(Layout.bottom - top)" rx="1.5"/>
                """
        }
    }

    private var connections: [HTML] {
        let known = values.indices.compactMap { index in values[index].map { (x: center(of: index), y: y(of: $0)) } }
        return zip(known, known.dropFirst()).map { line("line", $0.x, $0.y, $1.x, $1.y) }
    }

    private var circles: [HTML] {
        marks(of: values) { index, value in
            let (look, y, radius): (HTML, Double, Double) =
                isTag
                ? (value >= 0.5 ? "tag" : "tag off", Layout.tags, 6)
                : ("dot", y(of: value), index == values.count - 1 ? 4 : 2.8)
            return """
                <circle class="\(look) \(emphasis(of: index))" cx="\(center(of: index))" cy="\(y)" r="\(radius * size)"/>
                """
        }
    }

    /// A short line for each day, at the value that is usual on its weekday.
    private var usualLines: [HTML] {
        marks(of: usual) { index, usual in
            let level = y(of: usual)
            let middle = center(of: index)
            return line("usual", middle - slot * 0.42, level, middle + slot * 0.42, level)
        }
    }

    /// The parts of each bucket that don't depend on the kind of chart: its label, an area that shows the value as a
    /// tooltip, and a cross if there is no value.
    private var slots: [HTML] {
        zip(values.indices, labels).map { index, label in
            let middle = center(of: index)
            // A wide label at an end of the chart is moved inward, so that it isn't cut off.
            let margin = min(Double(label.count) * Layout.character / 2, width / 2)
            let isMissing = values[index] == nil
            let cross = isMissing ? HTMLReport.cross(x: middle, y: isTag ? Layout.tags : 49, size: size) : nil
            return """
                \(cross)<text class="\(emphasis(of: index))" x="\(min(max(middle, margin), width - margin))" \
                y="\(height - Layout.initials)">\(label)</text>\
                <rect class="hover" x="\(middle - slot / 2)" y="0" width="\(slot)" \
                height="\(height)"><title>\(sentence(for: index))</title></rect>
                """
        }
    }

    private func sentence(for index: Int) -> String {
        let soFar = attribute.soFar && index == values.count - 1 ? " so far" : ""
        let value = values[index].map { report.isLong ? "mean \(words.average($0))" : words.value($0) + soFar }
        let reference = (usual.dropFirst(index).first ?? nil).map { ", usual \(words.average($0))" } ?? ""
        return "\(report.name(of: buckets[index])): \(value ?? "no value")\(reference)"
    }

    /// The labels of the buckets. Usually they are initials, such as the first letter of the weekday, but there are
    /// exceptions:
    ///
    /// - In a wide chart of days, every seventh day shows its number.
    /// - If months are too narrow for letters, each January shows the year.
    /// - Years show their number. If they are narrow, only every tenth year does.
    private var labels: [String] {
        let initials = report.bucketInitials
        return zip(buckets.indices, initials).map { index, initial in
            let bucket = buckets[index]
            let next = initials.dropFirst(index + 1).first ?? nil
            let day = report.days[bucket.lowerBound]
            let isNarrow = slot < (report.pace == .year ? Layout.character * 4 : Layout.letter)
            return switch report.pace {
            case .day where report.isWide:
                (report.days.count - 1 - bucket.lowerBound).isMultiple(of: 7) ? "\(day.day)" : ""
            // If months begin in two neighboring weeks, only the second label is shown. There is no room for both, and
            // the second month takes up more of the chart.
            case .week where isNarrow && next != nil: ""
            case .month where isNarrow: day.month == 1 ? "\(day.year)" : ""
            case .year: !isNarrow || day.year.isMultiple(of: 10) ? "\(day.year)" : ""
            default: initial.map(String.init) ?? ""
            }
        }
    }
}

extension HTMLReport {
    var lists: [HTML] {
        report.shownLists.enumerated().map { index, shown in
            let items = shown.list.entries.map { entry -> HTML in
                let lines = entry.text.safeLines
                let rest = lines.dropFirst().joined(separator: "\n")
                let mark: HTML? = entry.mark.isEmpty ? nil : "<p class=\"reference\">\(entry.mark)</p>"
                let detail: HTML? = rest.isEmpty ? nil : "<p class=\"reference\" dir=\"auto\">\(lines: rest)</p>"
                return "<li>\(mark)<p dir=\"auto\">\(lines.first ?? "")</p>\(detail)</li>"
            }
            return card(
                "list\(index)", shown.list.title,
                folded(items, shown.others ?? "more") { "<ol class=\"timeline\">\n\($0)\n</ol>" })
        }
    }

    /// Returns a list of the first items. If there are more than `most`, the rest follows in a second list, which opens
    /// when the user clicks on a summary such as “7 earlier”.
    func folded(
        _ items: [HTML], _ others: String, most: Int = Report.longestList, as list: ([HTML]) -> HTML
    ) -> HTML {
        guard items.count > most else { return list(items) }
        return """
            \(list(Array(items.prefix(most))))
            <details>
            <summary>\(items.count - most) \(others)</summary>
            \(list(Array(items.dropFirst(most))))
            </details>
            """
    }
}

extension HTMLReport {
    /// A legend that explains the marks that occur in the charts. Nil if there are none.
    var legend: HTML? {
        func bar(_ look: HTML) -> HTML {
            "<rect class=\"bar \(look)\" x=\"5\" y=\"2\" width=\"8\" height=\"12\" rx=\"1.5\"/>"
        }
        let charts = report.attributes.filter { $0.kind != .text }.map { AttributeChart($0, in: report) }
        let usual: HTML = "<line class=\"usual\" x1=\"0\" y1=\"8\" x2=\"18\" y2=\"8\"/>"
        let marks: [(occurs: Bool, drawing: HTML, meaning: String)] = [
            (
                charts.contains(where: \.hasLatest), bar("now"),
                report.isLong ? "latest \(report.pace.name)" : report.lastDay
            ),
            (charts.contains(where: \.hasOpen), bar("now open"), "\(report.lastDay) so far"),
            (charts.contains(where: \.hasUsual), usual, "usual on that weekday"),
            (charts.contains(where: \.hasMissing), Self.cross(x: 9, y: 8), "no value"),
        ]
        let items = marks.filter(\.occurs).map { mark -> HTML in
            "<li><svg viewBox=\"0 0 18 16\" aria-hidden=\"true\">\(mark.drawing)</svg> \(mark.meaning)</li>"
        }
        return items.isEmpty ? nil : "<ul class=\"legend\" aria-label=\"In the charts\">\n\(items)\n</ul>"
    }

    /// Returns a cross, the mark for a day without a value. A day whose value is zero looks different.
    static func cross(x: Double, y: Double, size: Double = 1) -> HTML {
        let side = 5 * size
        return """
            <path class="missing" d="M\(x - side / 2) \(y - side / 2)l\(side) \(side)m0 \(-side)l\(-side) \(side)"/>
            """
    }
}
