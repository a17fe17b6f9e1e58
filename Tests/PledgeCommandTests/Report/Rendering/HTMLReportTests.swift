import Foundation
import Testing

@testable import PledgeCommand

@Suite("The HTML report", .serialized)
struct HTMLReportTests {
    private let page = HTMLReport(report: .sample).rendered()

    @Test("The page refers to no content from elsewhere, and its content security policy allows no such content")
    func policy() {
        #expect(page.contains("content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\""))
        for foreign in [
            "<script", "<link", "<img", "<iframe", "@import", "url(", "src=", "href=", "http://", "https://",
        ] {
            #expect(!page.contains(foreign), "\(foreign)")
        }
    }

    @Test("The page closes every element that it opens, even with hostile text or without data")
    func balance() {
        for report in [Report.sample, .hostile, .empty] {
            let page = HTMLReport(report: report).rendered()
            #expect(unbalancedElements(in: page).isEmpty)
            #expect(page.contains("Nothing was tracked this week.") == report.groups.isEmpty)
            #expect(page.contains("id=\"list") != report.groups.isEmpty)
        }
    }

    @Test(
        "An attribute has its latest value, the change, and the baselines; a value of an earlier day has its day, too")
    func attribute() {
        for (attribute, value, phrases) in [
            (
                .init("a", "A", .quantity, unit: "kJ", [3641, 1655], usual: 1480, mean: 2648, before: 80),
                #"<span class="value">1,655<span class="unit">&nbsp;kJ</span></span> <span class="chip">+12&nbsp;%</span></p>"#,
                ["usual&nbsp;Fri&nbsp;1,480", "mean&nbsp;2,648", "2&nbsp;days&nbsp;before&nbsp;80"]
            ),
            (
                .init("a", "A", .duration, [61, nil], usual: 79),
                #"<span class="value earlier">1h&nbsp;1m<span class="unit">&nbsp;Thu</span></span> <span class="chip">not&nbsp;yet</span>"#,
                ["usual&nbsp;Fri&nbsp;1h&nbsp;19m"]
            ),
        ] as [(Report.Attribute, String, [String])] {
            let page = HTMLReport(report: .sample(of: attribute, days: 2)).rendered()
            #expect(page.contains("<p class=\"today\">" + value), "\(page)")
            let items = phrases.map { "<li>\($0)</li>" }.joined(separator: "\n")
            #expect(page.contains("</p>\n<ul class=\"reference\">\n\(items)\n</ul>\n<svg"), "\(page)")
        }
    }

    @Test("The page explains exactly the marks and columns that it has")
    func noMoreThanThere() throws {
        var report = Report.sample(of: .init("a", "A", .quantity, [1, 2, 3, 4, 5, 6, 7]))
        report.correlations = []
        let page = HTMLReport(report: report).rendered()
        for absent in ["glance", "usual on that week", "“Usual”", "does not imply a cause", "no value</li>", "so far"] {
            #expect(!page.contains(absent), "\(absent)")
        }
        #expect(page.contains("today</li>"))
    }

    /// Returns the elements that are closed in the wrong place or not at all. Every end tag must be present, even an
    /// end tag that is optional in HTML.
    private func unbalancedElements(in page: String) -> [Substring] {
        var open: [Substring] = []
        for tag in page.matches(of: #/<(/?)([a-z][a-z0-9]*)(?:\s[^<>]*)?>/#).map(\.output)
        where !["meta", "br"].contains(tag.2) && !tag.0.hasSuffix("/>") {
            if tag.1.isEmpty { open.append(tag.2) } else if open.popLast() != tag.2 { return [tag.2] }
        }
        return open
    }
}
