/// A report as one web page without scripts or external resources, readable offline and in print.
struct HTMLReport {
    let report: WeeklyReport

    func rendered() -> String {
        let groups = report.groups.enumerated().map { index, group in
            let attributes = group.attributes.map { $0.kind == .text ? quotes(for: $0) : row(for: $0) }
            return card("group-\(index + 1)", group.label, "\(attributes)")
        }
        let demo: HTML? = report.demo ? "<p class=\"demo\" role=\"note\">\(Listing.demoNote)</p>" : nil
        let empty: HTML = "<p class=\"legend\">Nothing was tracked \(report.spanInWords).</p>"
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
            <header>
            \(demo)
            <p class="reference">\(report.title) of <bdi>\(report.person)</bdi></p>
            <h1>\(report.weekInWords(withYear: true))</h1>
            </header>
            <main>
            \(glance)
            \(groups.isEmpty ? empty : legend(of: groups))
            <div class="cards">
            \(groups)
            \(findings)
            </div>
            </main>
            <footer>
            <p>From \(report.source).</p>
            \(report.notes.map { "<p>\($0)</p>" as HTML })
            </footer>
            </body>
            </html>

            """
        return page.source
    }
}
