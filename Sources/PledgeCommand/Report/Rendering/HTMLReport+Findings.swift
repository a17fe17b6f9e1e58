extension HTMLReport {
    var findings: [HTML] {
        report.findings.enumerated().map { index, finding in
            let items = finding.list.entries.map { entry -> HTML in
                let lines = entry.text.safeLines
                let rest = lines.dropFirst().joined(separator: "\n")
                let mark: HTML? = entry.mark.isEmpty ? nil : "<p class=\"reference\">\(entry.mark)</p>"
                let detail: HTML? = rest.isEmpty ? nil : "<p class=\"reference\" dir=\"auto\">\(lines: rest)</p>"
                return "<li>\(mark)<p dir=\"auto\">\(lines.first ?? "")</p>\(detail)</li>"
            }
            return card(
                "list\(index)", finding.list.title,
                folded(items, finding.others ?? "more") { "<ol class=\"timeline\">\n\($0)\n</ol>" })
        }
    }

    /// Returns a list of the first items, and one of the others, such as `earlier` ones, which opens on a click.
    func folded(
        _ items: [HTML], _ others: String, most: Int = WeeklyReport.longestList, as list: ([HTML]) -> HTML
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
