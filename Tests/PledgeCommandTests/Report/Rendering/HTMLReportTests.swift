import Foundation
import Testing

@testable import PledgeCommand

@Suite("The HTML report", .serialized)
struct HTMLReportTests {
    private let page = HTMLReport(report: .sample).rendered()

    @Test("does not break a line between a number and its name")
    func units() {
        let walk = WeeklyReport.Attribute("walk", "Walk", .duration, [90, 95], usual: 79, mean: 65, before: 80)
        let page = HTMLReport(report: .sample(of: walk, days: 2)).rendered()
        let phrases = "usual&nbsp;Fri&nbsp;1h&nbsp;19m, mean&nbsp;1h&nbsp;5m, 2&nbsp;days&nbsp;before&nbsp;1h&nbsp;20m"
        #expect(page.contains("<p class=\"reference\">\(phrases)</p>"))
    }

    @Test("forbids everything that it does not contain itself")
    func policy() {
        #expect(page.contains("content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\""))
        for foreign in [
            "<script", "<link", "<img", "<iframe", "@import", "url(", "src=", "href=", "http://", "https://",
        ] {
            #expect(!page.contains(foreign), "\(foreign)")
        }
    }

    @Test("is a document with language, viewport, and title, headings in order, and a footer with caution and source")
    func document() {
        #expect(page.hasPrefix("<!doctype html>\n<html lang=\"en\">"))
        #expect(page.contains("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"))
        #expect(page.contains("<title>Ada, Sat 14 – Fri 20 November 2026</title>"))
        let levels = page.occurrences(ofPattern: "<h[1-6]").compactMap { Int($0.suffix(1)) }
        #expect(levels.first == 1 && levels.count { $0 == 1 } == 1)
        #expect(zip(levels, levels.dropFirst()).allSatisfy { $1 <= $0 + 1 })
        let footer = page.components(separatedBy: "<footer>").last ?? ""
        #expect(footer.contains("A correlation does not imply a cause") && footer.contains("the built-in sandbox"))
    }

    @Test("closes every element it opens, even around hostile text")
    func balance() {
        #expect(unbalancedElements(in: page).isEmpty)
        #expect(unbalancedElements(in: HTMLReport(report: .hostile).rendered()).isEmpty)
    }

    @Test("begins with the highlights")
    func highlights() throws {
        let page = HTMLReport(report: .summarized).rendered()
        let tiles = page.components(separatedBy: "class=\"legend\"")[0].components(separatedBy: "At a glance</h2>")[1]
        for part in ["<h3 dir=\"auto\">Mood</h3>", "usual&nbsp;week&nbsp;5.8&nbsp;of&nbsp;9"] {
            #expect(tiles.contains(part))
        }
    }

    @Test("shows today's value, the change, and the usual value of an attribute")
    func attribute() throws {
        let start = try #require(page.components(separatedBy: "<h3 dir=\"auto\">Active energy</h3>").dropFirst().first)
        let card = start.components(separatedBy: "</article>")[0]
        #expect(
            card.contains(
                """
                <p class="today"><span class="value">1,655<span class="unit"> kJ</span></span> \
                <span class="chip">+12 %</span></p>
                """))
        #expect(card.contains("<p class=\"reference\">usual&nbsp;Fri&nbsp;1,480</p>"))
    }

    @Test("quotes every text of the week with its day, newest first")
    func quotes() throws {
        let newest = try #require(page.range(of: "just a phase&quot; &lt;grin&gt;."))
        let older = try #require(page.range(of: "Good day.<br>Finished the draft"))
        #expect(newest.lowerBound < older.lowerBound)
        #expect(page.contains("<figcaption>Wed 18 Nov</figcaption>"))
    }

    @Test("explains the marks and columns that it has, and no others")
    func noMoreThanThere() throws {
        var report = WeeklyReport.sample(of: .init("a", "A", .quantity, [1, 2, 3, 4, 5, 6, 7]))
        report.correlations = []
        let page = HTMLReport(report: report).rendered()
        for absent in [
            "usual on that weekday", "“Usual”", "A correlation does not imply a cause", "no value</li>", "so far",
        ] {
            #expect(!page.contains(absent), "\(absent)")
        }
        #expect(page.contains("today</li>"))
    }

    @Test("shows the latest value with its day if the last day has none")
    func latest() {
        let pulse = WeeklyReport.Attribute("a", "A", .quantity, unit: "bpm", [1, 2, 3, 4, 5, 61, nil])
        let page = HTMLReport(report: .sample(of: pulse)).rendered()
        #expect(
            page.contains(
                "<span class=\"value earlier\">61<span class=\"unit\"> bpm</span><span class=\"unit\"> Thu</span>"))
    }

    @Test("is still a page if there is nothing to show")
    func emptyReport() {
        let page = HTMLReport(report: .empty).rendered()
        #expect(page.contains("Nothing was tracked this week."))
        #expect(!page.contains("id=\"list"))
        #expect(unbalancedElements(in: page).isEmpty)
    }

    /// Returns the elements that are closed in the wrong place or not at all, for markup without optional tags.
    private func unbalancedElements(in page: String) -> [Substring] {
        var open: [Substring] = []
        for tag in page.occurrences(ofPattern: "</?[a-z][a-z0-9]*(\\s[^<>]*)?>") {
            let name = tag.drop { "</".contains($0) }.prefix { $0.isLetter || $0.isNumber }
            if ["meta", "br"].contains(name) || tag.hasSuffix("/>") { continue }
            if !tag.hasPrefix("</") {
                open.append(name)
            } else if open.popLast() != name {
                return [name]
            }
        }
        return open
    }
}
