import ExistKit

/// The week as plain text for a terminal: a line per attribute, in columns that hold for the whole report.
struct TextReport {
    private let report: WeeklyReport
    private let width: Int
    private let color: Bool

    /// Widths below 20 columns are taken as 20: nothing legible fits into less.
    init(_ report: WeeklyReport, width: Int = 80, color: Bool = false) {
        self.report = report
        self.width = max(width, 20)
        self.color = color
    }

    /// The report, without a line break at its end.
    func rendered() -> String {
        let columns = TextColumns(report, width: width)
        var blocks = [opening]
        blocks += report.groups.map { block(for: $0, in: columns) }
        blocks += report.lists.map(block)
        blocks += [relations, noticed, warnings]
        return blocks.filter { !$0.isEmpty }
            .map { block in block.map { $0.rendered(width: width, color: color) }.joined(separator: "\n") }
            .joined(separator: "\n\n")
    }

    private var opening: [StyledLine] {
        let title = [report.person, report.weekInWords(), report.source].map(\.onOneLine).joined(separator: " · ")
        var lines = title.wrapped(to: width).map { StyledLine($0, as: .heading) }
        lines += (report.checkInSentence ?? "").wrapped(to: width).map { StyledLine($0) }
        if report.groups.isEmpty { lines.append(StyledLine("Nothing was tracked this week.")) }
        return lines
    }

    private func block(for group: WeeklyReport.Group, in columns: TextColumns) -> [StyledLine] {
        [columns.heading(for: group)] + group.attributes.map { columns.row(for: $0) }
    }

    private func block(for list: WeeklyReport.List) -> [StyledLine] {
        let entries = list.entries.flatMap { entry in
            hanging(
                entry.mark.onOneLine.truncated(to: 14), as: .faint, indent: 18,
                lines: entry.text.safeLines.map { ($0, .plain) })
        }
        return [StyledLine(list.title.onOneLine, as: .heading)] + entries
    }

    private var relations: [StyledLine] {
        guard !report.correlations.isEmpty else { return [] }
        let entries = report.correlations.flatMap { correlation in
            let strength = "\(correlation.strength.onOneLine), \(correlation.signedStrength)"
            return hanging(
                correlation.starText, as: .stars, indent: 9,
                lines: [(correlation.sentence.onOneLine.capitalizedSentence, .plain), (strength, .faint)])
        }
        let note = WeeklyReport.relationsNote.wrapped(to: width - 2).map { StyledLine("  " + $0, as: .faint) }
        return [StyledLine("Relations", as: .heading)] + entries + note
    }

    private var noticed: [StyledLine] {
        guard !report.insights.isEmpty else { return [] }
        let entries = report.insights.flatMap { insight in
            let day = insight.day.map { ExistDay($0)?.short ?? $0.onOneLine.truncated(to: 10) } ?? "Over time"
            return hanging(day, as: .faint, indent: 14, lines: insight.text.safeLines.map { ($0, .plain) })
        }
        return [StyledLine("Noticed", as: .heading)] + entries
    }

    private var warnings: [StyledLine] {
        guard !report.warnings.isEmpty else { return [] }
        let entries = report.warnings.flatMap { warning in
            hanging("!", as: .warning, indent: 4, lines: [(warning.onOneLine, .plain)])
        }
        return [StyledLine("Not everything could be read", as: .heading)] + entries
    }

    /// A mark at the left and sentences beside it, wrapped so that only the mark stands in its column.
    private func hanging(
        _ mark: String, as style: StyledLine.Style, indent: Int, lines: [(text: String, style: StyledLine.Style)]
    ) -> [StyledLine] {
        let wrapped = lines.flatMap { line in
            line.text.wrapped(to: max(width - indent, 2)).map { (text: $0, style: line.style) }
        }
        return wrapped.enumerated().map { index, line in
            var styled = StyledLine(index == 0 ? "  " + mark : "", as: style)
            styled.append(String(repeating: " ", count: index == 0 ? max(indent - 2 - mark.columns, 1) : indent))
            styled.append(line.text, as: line.style)
            return styled
        }
    }
}
