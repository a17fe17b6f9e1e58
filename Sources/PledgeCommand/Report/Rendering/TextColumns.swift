import ExistKit

/// The column layout of a text report: label, chart of the days, last day, comparison, usual value, the days as one
/// number, and the days before.
///
/// Widths are computed over all groups at once, so that columns line up on the whole page. If there isn't enough room,
/// cells are shortened, labels wrap, and the least important columns are omitted, but never the usual value; if there
/// is no room for that, each attribute takes a few lines, which say it, too.
struct TextColumns {
    /// A column, by its heading.
    fileprivate enum Column: String, CaseIterable {
        case change = ""
        case usual = "Usual"
        case mean = "A day"
        case before = "Before"
    }

    private let report: WeeklyReport
    private let width: Int
    private let label: Int
    private let value: Int
    private let columns: [(column: Column, width: Int)]
    private let isStacked: Bool
    private let isLinear: Bool
    /// Whether cells are short: `7h12m`, `72.4kg`.
    private let isBrief: Bool
    private let initials: String

    private static let indent = "  "
    private static let gap = "  "
    private static let shortestLabel = 10
    private static let longestLabel = 36
    private static let usefulLabel = 14
    private static let comfortableLabel = 19

    /// - Parameter isLinear: Whether each attribute takes a few lines, as it does if there is no room for columns.
    init(_ report: WeeklyReport, width: Int, isLinear: Bool = false) {
        (self.report, self.width, self.isLinear) = (report, width, isLinear)
        let attributes = report.attributes
        let numeric = attributes.filter { $0.kind != .text }
        // A group's name is above the labels and starts to their left.
        let names = report.groups.map { $0.label.onOneLine.columns - Self.indent.count }
        let labels = min((attributes.map(\.label.onOneLine.columns) + names).max() ?? 0, Self.longestLabel)
        initials = String(report.bucketInitials.map { $0 ?? " " })
        let layouts = [false, true].map { Layout(report, numeric, isBrief: $0) }
        let choices: [[Column]] =
            report.isLong
            ? [[.change, .before], [.change]]
            : [Column.allCases, [.change, .usual, .mean], [.change, .usual]]
        let room = width - Self.indent.count - Self.gap.count - initials.count
        /// Returns the columns of a choice if they fit beside labels of this width.
        func fit(_ choice: [Column], beside label: Int, _ layout: Layout) -> [(column: Column, width: Int)]? {
            let columns = layout.columns.filter { choice.contains($0.column) }
            return layout.width(of: columns) + min(labels, label) <= room ? columns : nil
        }
        let roomy = choices.lazy.compactMap { choice in
            [(Self.comfortableLabel, layouts[0]), (Self.usefulLabel, layouts[0]), (Self.usefulLabel, layouts[1])].lazy
                .compactMap { label, layout in fit(choice, beside: label, layout).map { ($0, layout) } }.first
        }.first
        let tight = choices.lazy.compactMap { choice in
            fit(choice, beside: Self.shortestLabel, layouts[1]).map { ($0, layouts[1]) }
        }.first
        let found = isLinear ? nil : roomy ?? tight
        isStacked = found == nil && !numeric.isEmpty
        let (columns, layout) = found ?? ([], layouts[0])
        (self.columns, value, isBrief) = (columns, layout.value, layout.isBrief)
        label = max(min(labels, room - layout.width(of: columns)), min(labels, Self.shortestLabel))
    }

    /// The widths of the value and of each column that has content, with full or with short cells.
    private struct Layout {
        let isBrief: Bool
        let value: Int
        let columns: [(column: Column, width: Int)]

        init(_ report: WeeklyReport, _ attributes: [WeeklyReport.Attribute], isBrief: Bool) {
            self.isBrief = isBrief
            let values = attributes.map { report.last(of: $0, isBrief: isBrief).columns }
            value = ([report.valueHeading.count] + values).max() ?? 0
            columns = Column.allCases.compactMap { column in
                let cells = attributes.map { report.cell(column, of: $0, isBrief: isBrief).columns }.max() ?? 0
                return cells == 0 ? nil : (column, max(cells, column.rawValue.count))
            }
        }

        /// Returns the width of everything to the right of the chart.
        func width(of columns: [(column: Column, width: Int)]) -> Int {
            columns.reduce(TextColumns.gap.count + value) { $0 + TextColumns.gap.count + $1.width }
        }
    }

    /// Returns the heading lines: the group's name, with the buckets' initials and the headings of the columns.
    func heading(for group: WeeklyReport.Group) -> [StyledLine] {
        let name = group.label.onOneLine
        let start = Self.indent.count + label
        guard !isStacked, name.columns <= start, group.attributes.contains(where: { $0.kind != .text }) else {
            return StyledLine.wrapping(name, to: width, as: .heading)
        }
        let margin = StyledLine(String(repeating: " ", count: start - name.columns) + Self.gap)
        return [
            StyledLine(name, as: .heading) + margin
                + line(initials, as: .faint, report.valueHeading, as: .faint, cell: \.rawValue)
        ]
    }

    /// Returns the lines of one attribute: more than one if its label, its chart, or a note needs them.
    func rows(for attribute: WeeklyReport.Attribute) -> [StyledLine] {
        if isStacked { return stacked(attribute) }
        let labels = attribute.label.onOneLine.wrapped(to: max(label, 1))
        let beside =
            attribute.kind == .text
            ? notes(of: attribute, width: width - Self.indent.count - label - Self.gap.count)
            : [
                line(report.chart(of: attribute), as: .chart, report.last(of: attribute, isBrief: isBrief), as: .plain)
                {
                    report.cell($0, of: attribute, isBrief: isBrief)
                }
            ]
        return (0..<max(labels.count, beside.count)).map { index in
            let label = labels.indices.contains(index) ? labels[index] : ""
            return StyledLine(Self.indent + label.padded(to: self.label) + Self.gap)
                + (beside.indices.contains(index) ? beside[index] : StyledLine())
        }
    }

    /// Returns what is to the right of a label or a group's name.
    private func line(
        _ chart: String, as chartStyle: StyledLine.Style, _ last: String, as lastStyle: StyledLine.Style,
        cell: (Column) -> String
    ) -> StyledLine {
        var line = StyledLine(chart, as: chartStyle)
        line.append(Self.gap + last.rightAligned(to: value), as: lastStyle)
        for (column, width) in columns {
            let text = cell(column)
            let cell = column == .change ? text.padded(to: width) : text.rightAligned(to: width)
            line.append(Self.gap + cell, as: .faint)
        }
        return line
    }

    private func stacked(_ attribute: WeeklyReport.Attribute) -> [StyledLine] {
        let label = StyledLine.wrapping(attribute.label.onOneLine, to: width)
        let room = width - Self.indent.count
        if attribute.kind == .text {
            return label + notes(of: attribute, width: room).map { StyledLine(Self.indent) + $0 }
        }
        let (last, phrase) = (report.last(of: attribute, isBrief: false), Comparison(attribute, in: report).phrase)
        let facts =
            report.isLong
            ? [attribute.kind == .boolean || last == "–" ? nil : "a day \(last)", phrase.isEmpty ? nil : phrase]
                .compactMap(\.self).joined(separator: ", ")
            : [
                phrase.isEmpty ? last : "\(last)\(attribute.soFar && attribute.today != nil ? "" : ",") \(phrase)",
                // The comparison already shows how often a tag was set.
                attribute.kind == .boolean
                    ? nil : attribute.summary?.value.map { "a day \(attribute.summaryText($0))" },
                attribute.summary?.before.map { "before \(attribute.summaryText($0))" },
            ].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: "; ")
        let chart = StyledLine.wrapping(report.chart(of: attribute), to: room, as: .chart)
        return label + (isLinear ? [] : chart.map { StyledLine(Self.indent) + $0 })
            + StyledLine.wrapping(facts, to: width, after: Self.indent, as: .faint)
    }

    /// Returns the latest text, with its day unless that is the last one.
    private func notes(of attribute: WeeklyReport.Attribute, width: Int) -> [StyledLine] {
        guard let latest = attribute.notes(on: report.days).first else {
            return [StyledLine("nothing \(report.spanInWords)", as: .faint)]
        }
        let day = latest.day == report.days.last ? "" : latest.day.weekdayName + " "
        return StyledLine.wrapping("\(day)“\(latest.text.onOneLine)”", to: width)
    }
}

/// The content of the columns.
extension WeeklyReport {
    /// The heading of the value column: the last day or, in a long report, the mean.
    fileprivate var valueHeading: String {
        isLong ? TextColumns.Column.mean.rawValue : lastDay.capitalizedSentence
    }

    fileprivate func chart(of attribute: Attribute) -> String {
        Sparkline(attribute.buckets(in: self), kind: attribute.bucketKind(in: self)).text
    }

    fileprivate func cell(_ column: TextColumns.Column, of attribute: Attribute, isBrief: Bool) -> String {
        // The last day's value already has the unit.
        let words = ValueText(kind: attribute.kind)
        let text: String?
        switch column {
        case .change:
            let comparison = Comparison(attribute, in: self)
            return (isBrief ? comparison.brief : comparison.change) ?? ""
        case .usual: text = days.indices.last.flatMap(attribute.usual(at:)).map(words.average)
        case .mean: text = attribute.summary?.value.map { attribute.summaryText($0, withUnit: false) }
        case .before: text = attribute.summary?.before.map { attribute.summaryText($0, withUnit: false) }
        }
        return (isBrief ? text?.withoutSpaces : text) ?? ""
    }

    /// Returns the last day's value, or else the latest value with its day; in a long report, the mean.
    fileprivate func last(of attribute: Attribute, isBrief: Bool) -> String {
        func short(_ text: String) -> String { isBrief ? text.withoutSpaces : text }
        if isLong { return attribute.summary?.value.map { short(attribute.summaryText($0)) } ?? "–" }
        guard let latest = attribute.latest(on: days) else { return "–" }
        let text = short(ValueText(attribute).value(latest.value))
        return latest.index == days.count - 1 ? text : "\(days[latest.index].weekdayName) \(text)"
    }
}

extension String {
    /// A number's text without the space before its unit.
    fileprivate var withoutSpaces: String { filter { $0 != " " } }
}
