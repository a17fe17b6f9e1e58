/// The week as one self-contained web page: no scripts, nothing fetched, readable offline and on paper.
struct HTMLReport {
    let report: WeeklyReport

    init(_ report: WeeklyReport) {
        self.report = report
    }

    /// The complete document.
    func rendered() -> String {
        page.source
    }

    private var page: HTML {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" \
        content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>\(report.person), \(report.weekInWords(withYear: true))</title>
        <style>
        \(Self.style)
        </style>
        </head>
        <body>
        \(header)
        <main>
        \(report.groups.isEmpty ? Self.nothingTracked : legend)
        \(cards)
        \(warnings)
        </main>
        \(footer)
        </body>
        </html>

        """
    }

    private static let nothingTracked: HTML = "<p class=\"empty\">Nothing was tracked this week.</p>"

    private var header: HTML {
        let checkIn: HTML? = report.checkInSentence.map { "<p class=\"check-in\">\($0)</p>" }
        return """
            <header>
            <p class="eyebrow">A week of <bdi>\(report.person)</bdi></p>
            <h1>\(report.weekInWords(withYear: true))</h1>
            \(checkIn)
            </header>
            """
    }

    /// Groups and findings flow through the same columns, so that a short group leaves no hole beside a long one.
    private var cards: HTML {
        let groups = report.groups.enumerated().map { index, group in card(for: group, id: index + 1) }
        return """
            <div class="cards">
            \(groups)
            \(lists)
            \(relations)
            \(noticed)
            </div>
            """
    }

    private var warnings: HTML? {
        guard !report.warnings.isEmpty else { return nil }
        let items = report.warnings.map { "<li>\($0)</li>" as HTML }
        return """
            <section class="warnings" aria-labelledby="warnings">
            <h2 id="warnings">Not everything could be read</h2>
            <ul>
            \(items)
            </ul>
            </section>
            """
    }

    private var footer: HTML {
        """
        <footer>
        <p>From \(report.source). “Usual” is the average for this weekday, or overall where there is none.</p>
        <p>\(WeeklyReport.relationsNote)</p>
        </footer>
        """
    }
}
