import ExistKit

/// A report as plain text for a terminal. Each attribute takes one line, and its facts are in aligned columns.
struct TextReport {
    let report: Report
    var width = 80
    var color = false
    /// Whether to omit columns and charts, because the user has a screen reader or a braille display.
    var isLinear = false
    var showsAll = false

    func rendered() -> String {
        let columns = TextColumns(report, width: width, isLinear: isLinear)
        let demo = report.demo ? lines(Listing.demoNote, as: .warning) : []
        let groups = report.groups.map { columns.heading(for: $0) + $0.attributes.flatMap(columns.rows) }
        let lists = report.shownLists.map {
            section($0.list, most: $0.others == nil || showsAll ? .max : Report.longestList, $0.others)
        }
        return
            ([demo, opening, section(glance)] + groups + lists + [report.notes.flatMap { lines($0, as: .faint) }])
            .filter { !$0.isEmpty }
            .map { block in block.map { $0.rendered(color: color) }.joined(separator: "\n") }
            .joined(separator: "\n\n")
    }

    private var opening: [StyledLine] {
        let title = [report.person, report.daysInWords(withYear: !report.endsToday || report.isLong), report.source]
            .map(\.onOneLine).joined(separator: " · ")
        let emptyMessage = report.groups.isEmpty ? "Nothing was tracked \(report.spanInWords)." : ""
        return lines(title, as: .heading) + lines(emptyMessage)
    }

    private var glance: Report.List {
        Report.List(
            title: "At a glance",
            entries: report.highlights.map { highlight in
                let value = [highlight.number, highlight.unit].compactMap(\.self).joined(separator: " ")
                let usual = "\(highlight.baseline) \(highlight.usual)"
                return .init(mark: highlight.label, text: "\(value), \(highlight.change); \(usual)")
            })
    }

    private func lines(_ text: String, as style: StyledLine.Style = .plain) -> [StyledLine] {
        StyledLine.wrapping(text, to: width, as: style)
    }

    private func section(_ list: Report.List, most: Int = .max, _ others: String? = nil) -> [StyledLine] {
        guard !list.entries.isEmpty else { return [] }
        let marks = list.entries.map { $0.mark.isEmpty ? "-" : $0.mark.onOneLine }
        let widest = min(marks.map(\.columns).max() ?? 0, 24, width / 3)
        let left = list.entries.count - most
        let more =
            left > 0 ? "And \(left) \(others.map { "\($0) \(left == 1 ? "one" : "ones")" } ?? "more") (--all)." : ""
        return lines(list.title.onOneLine, as: .heading)
            + zip(marks, list.entries).prefix(most).flatMap { mark, entry in
                // The lines of an entry are shown beside its mark. The first line is the most important, so the others
                // are faint.
                entry.text.safeLines.enumerated().flatMap { index, line in
                    StyledLine.row(
                        [
                            TextCell(text: "", width: 2),
                            TextCell(text: index == 0 ? mark : "", width: widest, style: .faint),
                            TextCell(text: "", width: min(widest, 2)),
                            TextCell(
                                text: line, width: width - widest - 4, style: index == 0 ? .plain : .faint),
                        ], gap: "")
                }
            } + StyledLine.wrapping(more, to: width, after: "  ", as: .faint)
    }
}

/// The columns of a text report: the label, the chart, the last day's value, its change, and the numbers that it is
/// compared with.
///
/// The columns are equally wide in all groups. If the terminal is too narrow, labels wrap, and the least important
/// columns are omitted. The change and the usual value are never omitted. If even they don't fit, each attribute takes
/// several lines instead.
struct TextColumns {
    private let report: Report
    private let width: Int
    private let label: Int
    private let value: Int
    private let columns: [Column]
    private let isStacked: Bool
    private let isLinear: Bool

    private static let indent = TextCell.gap
    /// The headings of the optional columns. The first of these columns is the change, whose heading is empty.
    private let headings: [String]
    private typealias Column = (index: Int, width: Int)

    private static let labels = (shortest: 10, useful: 14, longest: 36)

    /// - Parameter isLinear: Whether each attribute takes several lines instead of one row.
    init(_ report: Report, width: Int, isLinear: Bool) {
        self.report = report
        self.width = width
        self.isLinear = isLinear
        headings = ["", report.usualName.capitalizedSentence, "Mean", "Before"]
        let (attributes, headings) = (report.attributes, headings)
        let numeric = attributes.filter { $0.kind != .text }
        // The name of a group begins farther left than the labels of its attributes, so it has more room.
        let names = report.groups.map { $0.label.onOneLine.columns - Self.indent.count }
        let longest = min((attributes.map(\.label.onOneLine.columns) + names).max() ?? 0, Self.labels.longest)
        let value = ([report.valueHeading] + numeric.map(report.last)).map(\.columns).max() ?? 0
        let cells = numeric.map(report.cells)
        let all = headings.indices.compactMap { index -> Column? in
            let width = cells.map { $0[index].columns }.max() ?? 0
            return width == 0 ? nil : (index, max(width, headings[index].count))
        }
        let layouts = [4, 3, 2].map { count in
            let columns = all.filter { $0.index < count }
            let others = [report.bucketInitials.count, value] + columns.map(\.width)
            return (columns: columns, room: others.reduce(width - Self.indent.count) { $0 - TextCell.gap.count - $1 })
        }
        let found =
            layouts.first { $0.room >= min(longest, Self.labels.useful) }
            ?? layouts.last { $0.room >= min(longest, Self.labels.shortest) }
        isStacked = isLinear || found == nil && !numeric.isEmpty
        self.value = value
        columns = found?.columns ?? []
        label = min(longest, found?.room ?? Self.labels.shortest)
    }

    /// Returns the heading of a group: the group's name, the initials of the chart's buckets, and the headings of the
    /// columns.
    func heading(for group: Report.Group) -> [StyledLine] {
        let name = group.label.onOneLine
        let start = Self.indent.count + label
        guard !isStacked, name.columns <= start, group.attributes.contains(where: { $0.kind != .text }) else {
            return StyledLine.wrapping(name, to: width, as: .heading)
        }
        let initials = String(report.bucketInitials.map { $0 ?? " " })
        return row(
            [TextCell(text: name, width: start, style: .heading)], initials, report.valueHeading, headings,
            as: (.faint, .faint))
    }

    func rows(for attribute: Report.Attribute) -> [StyledLine] {
        if isStacked { return stacked(attribute) }
        // The first cell is empty. The gap after it indents the label.
        let label = [
            TextCell(text: "", width: 0), TextCell(text: attribute.label.onOneLine, width: max(self.label, 1)),
        ]
        guard attribute.kind != .text else {
            let room = width - Self.indent.count - self.label - TextCell.gap.count
            return StyledLine.row(label + [TextCell(text: note(of: attribute), width: room)])
        }
        return row(
            label, report.chart(of: attribute), report.last(of: attribute), report.cells(of: attribute),
            as: (.chart, .plain))
    }

    private func row(
        _ label: [TextCell], _ chart: String, _ last: String, _ cells: [String],
        as styles: (StyledLine.Style, StyledLine.Style)
    ) -> [StyledLine] {
        let start = [
            TextCell(text: chart, width: 0, style: styles.0, wraps: false),
            TextCell(text: last, width: value, style: styles.1, isRight: true),
        ]
        return StyledLine.row(
            label + start
                + columns.map { index, width in
                    TextCell(text: cells[index], width: width, style: .faint, isRight: index > 0)
                })
    }

    private func stacked(_ attribute: Report.Attribute) -> [StyledLine] {
        let label = StyledLine.wrapping(attribute.label.onOneLine, to: width)
        if attribute.kind == .text {
            return label + StyledLine.wrapping(note(of: attribute), to: width, after: Self.indent)
        }
        let value =
            report.isLong && attribute.kind != .boolean
            ? "mean \(report.last(of: attribute))" : report.last(of: attribute)
        let now = [value, report.change(of: attribute)].compactMap(\.self).joined(separator: ", ")
        let facts = [now] + report.comparisons(of: attribute, hasUnit: true)
        let chart = isLinear ? "" : report.chart(of: attribute)
        return label + StyledLine.wrapping(chart, to: width, after: Self.indent, as: .chart)
            + StyledLine.wrapping(facts.joined(separator: "; "), to: width, after: Self.indent, as: .faint)
    }

    /// Returns the latest text in quotation marks. Its weekday precedes it, unless it is from the report's last day.
    private func note(of attribute: Report.Attribute) -> String {
        guard let latest = attribute.notes(on: report.days).first else { return "nothing \(report.spanInWords)" }
        let day = latest.day == report.days.last ? "" : latest.day.weekdayName + " "
        return "\(day)“\(latest.text.onOneLine)”"
    }
}

extension Report {
    /// The heading of the column of values: the name of the last day or, in a long report, “Mean”.
    fileprivate var valueHeading: String { (isLong ? "mean" : lastDay).capitalizedSentence }

    fileprivate func chart(of attribute: Attribute) -> String {
        sparkline(attribute.buckets(in: self), kind: attribute.bucketKind(in: self))
    }

    fileprivate func cells(of attribute: Attribute) -> [String] {
        // The unit is omitted here, because the column of values already shows it.
        ([change(of: attribute)] + baselines(of: attribute).map(\.text)).map { $0 ?? "" }
    }

    fileprivate func last(of attribute: Attribute) -> String {
        guard let shown = shown(attribute) else { return "–" }
        return [shown.day, shown.number, shown.unit].compactMap(\.self).joined(separator: " ")
    }
}

/// Returns a chart with one character for each value, such as `▁▃█·▅▂▇`. The least value gets the lowest bar, and the
/// greatest value gets the highest bar. So the chart shows how the values change, but not how large they are.
func sparkline(_ values: [Double?], kind: Report.Kind) -> String {
    let known = values.compactMap(\.self)
    let least = known.min() ?? .nan
    let span = (known.max() ?? .nan) - least
    return values.map { value in
        guard let value else { return "·" }
        if kind == .boolean { return value >= 0.5 ? "●" : "○" }
        // If all values are equal, this is NaN. The bars then have middle height.
        let share = (value - least) / span
        return ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"][share.isFinite ? min(max(Int((share * 7).rounded()), 0), 7) : 3]
    }.joined()
}
