import ExistKit

/// The column layout of a text report: label, chart of the days, last day, comparison, usual value, the days as one
/// number, and the days before.
///
/// Widths are computed over all groups at once, so that columns line up on the whole page. If there isn't enough room,
/// the least important columns are omitted; on a terminal too narrow for columns, each attribute takes a few lines.
struct TextColumns {
    private enum Column: CaseIterable {
        case change, usual, mean, before
    }

    private let report: WeeklyReport
    private let width: Int
    private let label: Int
    private let value: Int
    private let columns: [(column: Column, width: Int)]
    private let isStacked: Bool
    private let initials: String

    private static let indent = "  "
    private static let gap = "  "
    private static let shortestLabel = 10
    private static let longestLabel = 36
    private static let comfortableLabel = 19

    init(_ report: WeeklyReport, width: Int) {
        (self.report, self.width) = (report, width)
        let attributes = report.groups.flatMap(\.attributes)
        let numeric = attributes.filter { $0.kind != .text }
        // A group's name is above the labels and starts to their left.
        let names = report.groups.map { $0.label.onOneLine.columns - Self.indent.count }
        let labels = min((attributes.map(\.label.onOneLine.columns) + names).max() ?? 0, Self.longestLabel)
        initials = String(report.placeInitials.map { $0 ?? " " })
        let value = ([Self.valueHeading(report).count] + numeric.map { Self.last($0, report).columns }).max() ?? 0
        let sizes = Dictionary(
            uniqueKeysWithValues: Column.allCases.map { column in
                let cells = numeric.map { Self.cell(column, $0, report).columns }.max() ?? 0
                return (column, cells == 0 ? 0 : max(cells, Self.heading(column).count))
            })
        let fixed = Self.indent.count + Self.gap.count * 2 + initials.count + value
        let choices: [[Column]] =
            report.isLong
            ? [[.change, .before], [.change]]
            : [
                [.change, .usual, .mean, .before], [.change, .mean, .before], [.change, .usual], [.change],
            ]
        func needed(_ choice: [Column]) -> Int {
            fixed + choice.reduce(0) { $0 + (sizes[$1] == 0 ? 0 : Self.gap.count + (sizes[$1] ?? 0)) }
        }
        let fitting =
            choices.first { needed($0) + min(labels, Self.comfortableLabel) <= width }
            ?? choices.first { needed($0) + min(labels, Self.shortestLabel) <= width }
        isStacked = fitting == nil && !numeric.isEmpty
        columns = (fitting ?? []).compactMap { column in sizes[column].flatMap { $0 == 0 ? nil : (column, $0) } }
        label = max(min(labels, width - needed(fitting ?? [])), min(labels, Self.shortestLabel))
        self.value = value
    }

    /// Returns the heading lines: the group's name, with the places' initials and the headings of the columns.
    func heading(for group: WeeklyReport.Group) -> [StyledLine] {
        let name = group.label.onOneLine
        let start = Self.indent.count + label
        guard !isStacked, name.columns <= start, group.attributes.contains(where: { $0.kind != .text }) else {
            return name.wrapped(to: width).map { StyledLine($0, as: .heading) }
        }
        var line = StyledLine(name, as: .heading)
        line.append(String(repeating: " ", count: start - name.columns) + Self.gap)
        line.append(initials, as: .faint)
        line.append(Self.gap + Self.valueHeading(report).rightAligned(to: value), as: .faint)
        for (column, width) in columns {
            line.append(Self.gap + aligned(Self.heading(column), column, width), as: .faint)
        }
        return [line]
    }

    /// Returns the lines of one attribute: more than one if its label, its chart, or a note needs them.
    func rows(for attribute: WeeklyReport.Attribute) -> [StyledLine] {
        if isStacked { return stacked(attribute) }
        let labels = attribute.label.onOneLine.wrapped(to: max(label, 1))
        var beside: [StyledLine]
        if attribute.kind == .text {
            beside = notes(of: attribute, width: width - Self.indent.count - label - Self.gap.count)
        } else {
            var line = StyledLine()
            line.append(Self.chart(attribute, report), as: .chart)
            line.append(Self.gap + Self.last(attribute, report).rightAligned(to: value))
            for (column, width) in columns {
                line.append(
                    Self.gap + aligned(Self.cell(column, attribute, report), column, width), as: .faint)
            }
            beside = [line]
        }
        return (0..<max(labels.count, beside.count)).map { index in
            let label = labels.indices.contains(index) ? labels[index] : ""
            return StyledLine(Self.indent + label.padded(to: self.label) + Self.gap)
                + (beside.indices.contains(index) ? beside[index] : StyledLine())
        }
    }

    private func aligned(_ text: String, _ column: Column, _ width: Int) -> String {
        column == .change ? text.padded(to: width) : text.rightAligned(to: width)
    }

    private func stacked(_ attribute: WeeklyReport.Attribute) -> [StyledLine] {
        var lines = attribute.label.onOneLine.wrapped(to: width).map { StyledLine($0) }
        let room = max(width - 2, 2)
        if attribute.kind == .text {
            return lines + notes(of: attribute, width: room).map { StyledLine(Self.indent) + $0 }
        }
        let chart = Self.chart(attribute, report)
        let (last, phrase) = (Self.last(attribute, report), Comparison(attribute, in: report).phrase)
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
        lines += chart.wrapped(to: room).map { StyledLine(Self.indent) + StyledLine($0, as: .chart) }
        return lines + facts.wrapped(to: room).map { StyledLine(Self.indent + $0, as: .faint) }
    }

    /// Returns the latest text, with its day unless that is the last one.
    private func notes(of attribute: WeeklyReport.Attribute, width: Int) -> [StyledLine] {
        guard let latest = attribute.notes(on: report.days).first else {
            return [StyledLine("nothing \(report.spanInWords)", as: .faint)]
        }
        let day = latest.day == report.days.last ? "" : latest.day.weekdayName + " "
        return "\(day)“\(latest.text.onOneLine)”".wrapped(to: max(width, 2)).map { StyledLine($0) }
    }

    /// Returns the heading of the value column: the last day or, in a long report, the mean.
    private static func valueHeading(_ report: WeeklyReport) -> String {
        report.isLong ? heading(.mean) : report.lastDay.capitalizedSentence
    }

    private static func chart(_ attribute: WeeklyReport.Attribute, _ report: WeeklyReport) -> String {
        Sparkline(attribute.places(in: report), kind: attribute.placeKind(in: report)).text
    }

    private static func heading(_ column: Column) -> String {
        switch column {
        case .change: ""
        case .usual: "Usual"
        case .mean: "A day"
        case .before: "Before"
        }
    }

    private static func cell(
        _ column: Column, _ attribute: WeeklyReport.Attribute, _ report: WeeklyReport
    ) -> String {
        // The last day's value already has the unit.
        let words = ValueText(kind: attribute.kind)
        func summary(_ value: Double?) -> String { value.map { attribute.summaryText($0, withUnit: false) } ?? "" }
        switch column {
        case .change: return Comparison(attribute, in: report).change ?? ""
        case .usual: return report.days.indices.last.flatMap(attribute.usual(at:)).map(words.average) ?? ""
        case .mean: return summary(attribute.summary?.value)
        case .before: return summary(attribute.summary?.before)
        }
    }

    /// Returns the last day's value, or else the latest value with its day; in a long report, the mean.
    private static func last(_ attribute: WeeklyReport.Attribute, _ report: WeeklyReport) -> String {
        if report.isLong { return attribute.summary?.value.map { attribute.summaryText($0) } ?? "–" }
        guard let latest = attribute.latest(on: report.days) else { return "–" }
        let text = ValueText(attribute).value(latest.value)
        guard latest.place < report.days.count - 1 else { return text }
        return "\(report.days[latest.place].weekdayName) \(text)"
    }
}
