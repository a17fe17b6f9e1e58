/// A report as one web page without scripts or external resources, readable offline and in print.
struct HTMLReport {
    let report: WeeklyReport

    func rendered() -> String {
        let groups = report.groups.enumerated().map { index, group in card(for: group, id: index + 1) }
        let page: HTML = """
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
            \(groups.isEmpty ? "<p class=\"empty\">Nothing was tracked \(report.spanInWords).</p>" : legend(of: groups))
            <div class="cards">
            \(groups)
            \(lists)
            \(relations)
            \(noticed)
            </div>
            \(warnings)
            </main>
            \(footer)
            </body>
            </html>

            """
        return page.source
    }

    private var demo: HTML? { report.demo ? "<p class=\"demo\" role=\"note\">\(Listing.demoNote)</p>" : nil }

    private var header: HTML {
        """
        <header>
        \(demo)
        <p class="eyebrow">\(report.title) of <bdi>\(report.person)</bdi></p>
        <h1>\(report.weekInWords(withYear: true))</h1>
        </header>
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
        let notes = report.notes.map { "<p>\($0)</p>" as HTML }
        return """
            <footer>
            <p>From \(report.source).</p>
            \(notes)
            </footer>
            """
    }
}
