import ExistKit

/// A report as plain text for a terminal: one line per attribute, in aligned columns.
struct TextReport {
    let report: WeeklyReport
    var width = 80
    var color = false
    /// Whether to omit columns and charts, for screen readers.
    var isLinear = false
    var showsAll = false

    func rendered() -> String {
        let columns = TextColumns(report, width: width, isLinear: isLinear)
        let demo = report.demo ? lines(Listing.demoNote, as: .warning) : []
        let groups = report.groups.map { columns.heading(for: $0) + $0.attributes.flatMap(columns.rows) }
        let findings = report.findings.map {
            section($0.list, most: $0.others == nil || showsAll ? .max : WeeklyReport.longestList, $0.others)
        }
        return
            ([demo, opening, section(glance)] + groups + findings + [report.notes.flatMap { lines($0, as: .faint) }])
            .filter { !$0.isEmpty }
            .map { block in block.map { $0.rendered(color: color) }.joined(separator: "\n") }
            .joined(separator: "\n\n")
    }

    private var opening: [StyledLine] {
        let title = [report.person, report.weekInWords(withYear: !report.endsToday || report.isLong), report.source]
            .map(\.onOneLine).joined(separator: " · ")
        let emptyMessage = report.groups.isEmpty ? "Nothing was tracked \(report.spanInWords)." : ""
        return lines(title, as: .heading) + lines(emptyMessage)
    }

    private var glance: WeeklyReport.List {
        WeeklyReport.List(
            title: "At a glance",
            entries: report.highlights.map { highlight in
                let value = [highlight.number, highlight.unit].compactMap(\.self).joined(separator: " ")
                return .init(mark: highlight.label, text: "\(value), \(highlight.change); \(highlight.baseline)")
            })
    }

    private func lines(_ text: String, as style: StyledLine.Style = .plain) -> [StyledLine] {
        StyledLine.wrapping(text, to: width, as: style)
    }

    private func section(_ list: WeeklyReport.List, most: Int = .max, _ others: String? = nil) -> [StyledLine] {
        guard !list.entries.isEmpty else { return [] }
        let marks = list.entries.map { $0.mark.isEmpty ? "-" : $0.mark.onOneLine }
        let widest = min(marks.map(\.columns).max() ?? 0, 24, width / 3)
        let left = list.entries.count - most
        let more = left > 0 ? "And \(left) \(others ?? "more") \(left == 1 ? "one" : "ones") (--all)." : ""
        return lines(list.title.onOneLine, as: .heading)
            + zip(marks, list.entries).prefix(most).flatMap { mark, entry in
                // Sentences beside the mark, of which the first is the most important.
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
