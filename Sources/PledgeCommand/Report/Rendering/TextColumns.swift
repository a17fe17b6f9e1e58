import ExistKit

/// The columns of a text report: label, chart, last day, comparison, usual value, and the means of the days and of
/// those before.
///
/// All groups share the widths. Without enough room, labels wrap and the least important columns are omitted, except
/// for the usual value; if that does not fit either, each attribute takes a few lines.
struct TextColumns {
    private let report: WeeklyReport
    private let width: Int
    private let label: Int
    private let value: Int
    private let columns: [Column]
    private let isStacked: Bool
    private let isLinear: Bool

    private static let indent = TextCell.gap
    /// The optional columns: the change, which has no heading, and those after it.
    fileprivate static let headings = ["", "Usual", "A day", "Before"]
    private typealias Column = (index: Int, width: Int)

    private static let labels = (shortest: 10, useful: 14, longest: 36)

    /// - Parameter isLinear: Whether each attribute takes a few lines instead of a row.
    init(_ report: WeeklyReport, width: Int, isLinear: Bool = false) {
        (self.report, self.width, self.isLinear) = (report, width, isLinear)
        let attributes = report.attributes
        let numeric = attributes.filter { $0.kind != .text }
        // A group's name starts to the left of its labels.
        let names = report.groups.map { $0.label.onOneLine.columns - Self.indent.count }
        let longest = min((attributes.map(\.label.onOneLine.columns) + names).max() ?? 0, Self.labels.longest)
        let value = ([report.valueHeading] + numeric.map(report.last)).map(\.columns).max() ?? 0
        let cells = numeric.map(report.cells)
        let all = Self.headings.indices.compactMap { index -> Column? in
            let width = cells.map { $0[index].columns }.max() ?? 0
            return width == 0 ? nil : (index, max(width, Self.headings[index].count))
        }
        let choices = report.isLong ? [[0, 3], [0]] : [[0, 1, 2, 3], [0, 1, 2], [0, 1]]
        let layouts = choices.map { choice in
            let columns = all.filter { choice.contains($0.index) }
            let others = [report.bucketInitials.count, value] + columns.map(\.width)
            return (columns: columns, room: others.reduce(width - Self.indent.count) { $0 - TextCell.gap.count - $1 })
        }
        let found =
            layouts.first { $0.room >= min(longest, Self.labels.useful) }
            ?? layouts.last { $0.room >= min(longest, Self.labels.shortest) }
        isStacked = isLinear || found == nil && !numeric.isEmpty
        (self.value, columns) = (value, found?.columns ?? [])
        label = min(longest, found?.room ?? Self.labels.shortest)
    }

    /// Returns the heading of a group: its name, the buckets' initials, and the columns' headings.
    func heading(for group: WeeklyReport.Group) -> [StyledLine] {
        let name = group.label.onOneLine
        let start = Self.indent.count + label
        guard !isStacked, name.columns <= start, group.attributes.contains(where: { $0.kind != .text }) else {
            return StyledLine.wrapping(name, to: width, as: .heading)
        }
        let initials = String(report.bucketInitials.map { $0 ?? " " })
        return row(
            [TextCell(text: name, width: start, style: .heading)], initials, report.valueHeading, Self.headings,
            as: (.faint, .faint))
    }

    func rows(for attribute: WeeklyReport.Attribute) -> [StyledLine] {
        if isStacked { return stacked(attribute) }
        // After the first gap, which is the indent.
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

    private func stacked(_ attribute: WeeklyReport.Attribute) -> [StyledLine] {
        let label = StyledLine.wrapping(attribute.label.onOneLine, to: width)
        if attribute.kind == .text {
            return label + StyledLine.wrapping(note(of: attribute), to: width, after: Self.indent)
        }
        let (last, phrase) = (report.last(of: attribute), Comparison(attribute, in: report).phrase)
        let isSoFar = !report.isLong && attribute.soFar && attribute.today != nil
        // The comparison already shows how often a tag was set.
        let isInPhrase = report.isLong && (attribute.kind == .boolean || last == "–")
        let value = isInPhrase ? "" : report.isLong ? "a day \(last)" : last
        let facts =
            [[value, phrase].filter { !$0.isEmpty }.joined(separator: isSoFar ? " " : ", ")]
            + (report.isLong ? [] : attribute.meansInWords)
        let chart = isLinear ? "" : report.chart(of: attribute)
        return label + StyledLine.wrapping(chart, to: width, after: Self.indent, as: .chart)
            + StyledLine.wrapping(facts.joined(separator: "; "), to: width, after: Self.indent, as: .faint)
    }

    /// Returns the latest text, with its day unless that is the last one.
    private func note(of attribute: WeeklyReport.Attribute) -> String {
        guard let latest = attribute.notes(on: report.days).first else { return "nothing \(report.spanInWords)" }
        let day = latest.day == report.days.last ? "" : latest.day.weekdayName + " "
        return "\(day)“\(latest.text.onOneLine)”"
    }
}

extension WeeklyReport {
    /// The heading of the value column: the last day or, in a long report, the mean.
    fileprivate var valueHeading: String {
        isLong ? TextColumns.headings[2] : lastDay.capitalizedSentence
    }

    fileprivate func chart(of attribute: Attribute) -> String {
        sparkline(attribute.buckets(in: self), kind: attribute.bucketKind(in: self))
    }

    fileprivate func cells(of attribute: Attribute) -> [String] {
        [
            Comparison(attribute, in: self).change,
            // The last day's value already has the unit.
            attribute.usual(at: days.count - 1).map(ValueText(kind: attribute.kind).average),
            attribute.summary?.value.map { attribute.summaryText($0, withUnit: false) },
            attribute.summary?.before.map { attribute.summaryText($0, withUnit: false) },
        ].map { $0 ?? "" }
    }

    /// Returns the last day's value, or else the latest one with its day; in a long report, the mean.
    fileprivate func last(of attribute: Attribute) -> String {
        if isLong { return attribute.summary?.value.map { attribute.summaryText($0) } ?? "–" }
        guard let latest = attribute.latest(on: days) else { return "–" }
        let text = ValueText(attribute).value(latest.value)
        return latest.index == days.count - 1 ? text : "\(days[latest.index].weekdayName) \(text)"
    }
}
