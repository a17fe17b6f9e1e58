import ExistKit

extension HTMLReport {
    /// A small chart of one attribute's days.
    ///
    /// Amounts are bars from zero. Where zero has no meaning (moods, times of day, temperatures, body weight), the days
    /// are dots on a line, because a bar's length would suggest a proportion.
    struct WeekChart {
        private let attribute: WeeklyReport.Attribute
        private let report: WeeklyReport
        private let buckets: [Range<Int>]
        private let initials: [Character?]
        private let slot: Double
        private let values: [Double?]
        private let usual: [Double?]
        private let words: ValueText
        private let isMeasuredFromZero: Bool
        private let range: ClosedRange<Double>

        init(_ attribute: WeeklyReport.Attribute, in report: WeeklyReport) {
            self.attribute = attribute
            self.report = report
            buckets = report.buckets
            values = attribute.buckets(in: report)
            usual = attribute.kind == .boolean || report.isLong ? [] : report.days.indices.map(attribute.usual(at:))
            words = ValueText(attribute)
            initials = report.bucketInitials
            // In a wide chart, many buckets share a card's width, and letters keep their size.
            slot = report.isWide ? Layout.wide / Double(max(buckets.count, 1)) : Layout.slot
            let shown = (values + usual).compactMap(\.self)
            isMeasuredFromZero =
                attribute.bucketKind(in: report) != attribute.kind
                || WeeklyReport.isAmount(attribute.kind, unit: attribute.unit) && !shown.contains { $0 < 0 }
            let (least, greatest) = (shown.min() ?? 0, shown.max() ?? 1)
            if attribute.kind == .scale {
                range = min(least, 1)...max(greatest, 9)
            } else if isMeasuredFromZero {
                range = 0...greatest
            } else {
                // Differences of minutes or grams don't fill the whole height, so that a steady week looks steady.
                let smallest = attribute.kind == .timeOfDay ? 60 : max(greatest.magnitude, least.magnitude, 0.01) * 0.02
                let margin = max(0, smallest - (greatest - least)) / 2
                range = (least - margin)...(greatest + margin)
            }
        }

        /// The chart as an inline SVG with a textual description; nil without days.
        var markup: HTML? {
            guard !values.isEmpty else { return nil }
            let isTag = attribute.bucketKind(in: report) == .boolean
            let description = "\(attribute.label): \(values.indices.map(sentence).joined(separator: "; "))"
            return """
                <svg class="week" viewBox="0 0 \(width) \(Layout.height)" role="img" aria-label="\(description)">
                \(isTag ? tags : isMeasuredFromZero ? bars : connections + dots)
                \(usualLines)
                \(slots)
                </svg>
                """
        }
    }
}

extension HTMLReport.WeekChart {
    private enum Layout {
        static let slot = 22.0
        static let wide = 330.0
        /// The width of a character of a label.
        static let character = 7.0
        /// The width that a letter needs.
        static let letter = 11.0
        static let height = 72.0
        static let top = 6.0
        static let bottom = 52.0
        static let initials = 67.0
        /// The height at which tags are drawn.
        static let tags = 34.0
    }

    private var width: Double { Double(values.count) * slot }
    private var barWidth: Double { min(slot * 6 / 11, 20) }
    /// The scale of the marks, relative to a chart of one week.
    private var size: Double { min(max(slot / Layout.slot, 0.4), 1) }

    private func center(of index: Int) -> Double { (Double(index) + 0.5) * slot }

    private func emphasis(of index: Int) -> HTML {
        index < values.count - 1 ? "past" : attribute.soFar && !report.isLong ? "now open" : "now"
    }

    private func y(of value: Double) -> Double {
        // NaN if every day is zero.
        let share = (value - range.lowerBound) / (range.upperBound - range.lowerBound)
        return Layout.bottom - (share.isFinite ? share : 0) * (Layout.bottom - Layout.top)
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

    /// Lines between consecutive values, fainter across days without one.
    private var connections: [HTML] {
        let known = values.indices.compactMap { index in values[index].map { (index: index, y: y(of: $0)) } }
        return zip(known, known.dropFirst()).map { from, to in
            let look: HTML = to.index == from.index + 1 ? "line" : "line gap"
            return """
                <line class="\(look)" x1="\(center(of: from.index))" y1="\(from.y)" x2="\(center(of: to.index))" \
                y2="\(to.y)"/>
                """
        }
    }

    private var dots: [HTML] {
        marks(of: values) { index, value in
            circle("dot", at: index, y: y(of: value), radius: index == values.count - 1 ? 4.0 : 2.8)
        }
    }

    private var tags: [HTML] {
        marks(of: values) { index, value in
            circle(value >= 0.5 ? "tag" : "tag off", at: index, y: Layout.tags, radius: 6)
        }
    }

    private func circle(_ look: HTML, at index: Int, y: Double, radius: Double) -> HTML {
        """
        <circle class="\(look) \(emphasis(of: index))" cx="\(center(of: index))" cy="\(y)" r="\(radius * size)"/>
        """
    }

    /// A line for each day at the usual value for its weekday.
    private var usualLines: [HTML] {
        marks(of: usual) { index, usual in
            let (level, middle) = (y(of: usual), center(of: index))
            return """
                <line class="usual" x1="\(middle - slot * 0.42)" y1="\(level)" \
                x2="\(middle + slot * 0.42)" y2="\(level)"/>
                """
        }
    }

    /// For each day, its initial, an area with a tooltip for the value, and a cross if there is none.
    private var slots: [HTML] {
        let height = attribute.bucketKind(in: report) == .boolean ? Layout.tags : 49
        return values.enumerated().map { index, value in
            let middle = center(of: index)
            // Keep a wide label within the chart.
            let label = name(of: index)
            let margin = min(Double(label.count) * Layout.character / 2, width / 2)
            let cross: HTML? = value == nil ? HTMLReport.cross(x: middle, y: height, size: size) : nil
            return """
                \(cross)<text class="\(emphasis(of: index))" x="\(min(max(middle, margin), width - margin))" \
                y="\(Layout.initials)">\(label)</text>\
                <rect class="hover" x="\(middle - slot / 2)" y="0" width="\(slot)" \
                height="\(Layout.height)"><title>\(sentence(for: index))</title></rect>
                """
        }
    }

    private func sentence(for index: Int) -> String {
        let day = report.name(of: buckets[index])
        if report.isLong { return "\(day): \(values[index].map { words.average($0) + " a day" } ?? "no value")" }
        let soFar = attribute.soFar && index == values.count - 1 && values[index] != nil ? " so far" : ""
        let reference = usual.finite(at: index).map { ", usual \(words.average($0))" } ?? ""
        return "\(day): \(values[index].map(words.value) ?? "no value")\(soFar)\(reference)"
    }

    /// Returns a bucket's label, by default its initial. In a wide chart, every seventh day shows its number, months
    /// too narrow for letters show the year in January, and years show their number (narrow ones, every tenth).
    private func name(of index: Int) -> String {
        let initial = initials[index].map(String.init) ?? ""
        guard report.isWide else { return initial }
        let day = report.days[buckets[index].lowerBound]
        switch report.pace {
        case .day: return (values.count - 1 - index).isMultiple(of: 7) ? "\(day.day)" : ""
        case .week: return initial
        case .month where slot >= Layout.letter: return initial
        case .month: return day.month == 1 ? "\(day.year)" : ""
        case .year: return slot >= Layout.letter * 3 || day.year.isMultiple(of: 10) ? "\(day.year)" : ""
        }
    }
}
