import ExistKit

/// A report as plain text for a terminal: one line per attribute, in aligned columns.
struct TextReport {
    let report: WeeklyReport
    var width = 80
    var color = false
    /// Whether to omit columns and charts, for screen readers.
    var isLinear = false

    func rendered() -> String {
        let columns = TextColumns(report, width: width, isLinear: isLinear)
        let demo = report.demo ? lines(Listing.demoNote, as: .warning) : []
        let groups = report.groups.map { columns.heading(for: $0) + $0.attributes.flatMap(columns.rows) }
        let findings = [relations, noticed, warnings, report.notes.flatMap { lines($0, as: .faint) }]
        return ([demo, opening] + groups + report.lists.map(block) + findings).filter { !$0.isEmpty }
            .map { block in block.map { $0.rendered(width: width, color: color) }.joined(separator: "\n") }
            .joined(separator: "\n\n")
    }

    private var opening: [StyledLine] {
        let title = [report.person, report.weekInWords(withYear: !report.endsToday || report.isLong), report.source]
            .map(\.onOneLine).joined(separator: " · ")
        let emptyMessage = report.groups.isEmpty ? "Nothing was tracked \(report.spanInWords)." : ""
        return lines(title, as: .heading) + lines(emptyMessage)
    }

    private func lines(_ text: String, as style: StyledLine.Style = .plain) -> [StyledLine] {
        StyledLine.wrapping(text, to: width, as: style)
    }

    private func block(for list: WeeklyReport.List) -> [StyledLine] {
        let marks = min(list.entries.map(\.mark.onOneLine.columns).max() ?? 0, 24)
        return section(list.title.onOneLine, list.entries) { entry in
            hanging(
                entry.mark.onOneLine, as: .faint, indent: marks + 4, lines: entry.text.safeLines.map { ($0, .plain) })
        }
    }

    private var relations: [StyledLine] {
        section("Correlations", report.correlations, most: Self.longestList, left: "weaker") { correlation in
            hanging(
                "-", as: .faint, indent: 4,
                lines: [
                    (correlation.sentence.onOneLine.capitalizedSentence, .plain),
                    (correlation.strength.onOneLine, .faint),
                ])
        }
    }

    private var noticed: [StyledLine] {
        section("Insights", report.insights, most: Self.longestList, left: "earlier") { insight in
            let day = insight.day?.short ?? "Over time"
            return hanging(day, as: .faint, indent: 14, lines: insight.text.safeLines.map { ($0, .plain) })
        }
    }

    private var warnings: [StyledLine] {
        section("Not everything could be read", report.warnings) { warning in
            hanging("!", as: .warning, indent: 4, lines: [(warning.onOneLine, .plain)])
        }
    }

    /// The maximum number of correlations and of insights, so that attributes stay on the screen.
    private static let longestList = 5

    private func section<Entry>(
        _ title: String, _ entries: [Entry], most: Int = .max, left: String = "",
        entry: (Entry) -> [StyledLine]
    ) -> [StyledLine] {
        guard !entries.isEmpty else { return [] }
        let more = entries.count > most ? WeeklyReport.more(entries.count - most, left) : ""
        return lines(title, as: .heading) + entries.prefix(most).flatMap(entry)
            + StyledLine.wrapping(more, to: width, after: "  ", as: .faint)
    }

    /// Returns a mark with wrapped sentences to its right.
    private func hanging(
        _ mark: String, as style: StyledLine.Style, indent: Int, lines: [(text: String, style: StyledLine.Style)]
    ) -> [StyledLine] {
        // A mark that is too long gets its own lines.
        let isAbove = mark.columns + 3 > indent || width < indent + 10
        let margin = isAbove ? min(4, max(width - 4, 0)) : indent
        let above = isAbove ? StyledLine.wrapping(mark, to: width, after: "  ", as: style) : []
        return above
            + lines.enumerated().flatMap { index, line in
                StyledLine.row(
                    [
                        TextCell(
                            text: index == 0 && !isAbove ? "  " + mark : "", width: margin, style: style, wraps: false),
                        TextCell(text: line.text, width: max(width - margin, 2), style: line.style),
                    ], gap: "")
            }
    }
}
