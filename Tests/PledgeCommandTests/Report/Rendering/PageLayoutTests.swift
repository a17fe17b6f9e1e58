import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeCommand

/// Checks how a browser lays out the page, from a phone's width to a wide screen. The tests don't compare pictures,
/// because these would depend on the machine's fonts.
@Suite("The page of a report, in Chromium", .serialized, .chromium)
struct PageLayoutTests {
    /// Returns a report that repeats the week of the sample.
    private static func weeks(_ count: Int) -> Report {
        var report = Report.summarized.changing { each in
            let (week, texts) = (each.week, each.texts)
            each.week = (0..<count).flatMap { _ in week }
            each.texts = texts.map { texts in (0..<count).flatMap { _ in texts } }
        }
        report.days = (0..<count * 7).map { report.days[0].advanced(by: $0) }
        return report
    }

    /// A script that finds what is wrong with the pages in a browser: what doesn't fit, is cut off, or can hardly be
    /// read.
    private static let script = """
        const faults = new Set();
        let texts = 0;
        const channels = (color) => (color.match(/[\\d.]+/g) || []).map(Number);
        const light = (color) => channels(color).slice(0, 3).map((part) => part / 255)
            .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
            .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
        const paper = (element, view) => {
            for (let at = element; at; at = at.parentElement) {
                const color = view.getComputedStyle(at).backgroundColor;
                if (channels(color)[3] !== 0) return color;
            }
            return "rgb(255, 255, 255)";
        };
        function check(frame) {
            const [view, page, width] = [frame.contentWindow, frame.contentDocument, frame.clientWidth];
            const fail = (fault, text) => faults.add(`${frame.title}: ${fault}: ${text.slice(0, 40)}`);
            const tiles = [...page.querySelectorAll(".tiles > *")];
            if (tiles.some((tile) => tile.getBoundingClientRect().bottom > frame.clientHeight)) fail("below", "headline");
            page.querySelectorAll("details").forEach((part) => part.open = true);
            if (page.documentElement.scrollWidth > width) fail("wider", `${page.documentElement.scrollWidth}`);
            if (view.matchMedia("(prefers-color-scheme: dark)").matches !== isDark) fail("scheme", "");
            const walker = page.createTreeWalker(page.body, NodeFilter.SHOW_TEXT);
            for (let node = walker.nextNode(); node; node = walker.nextNode()) {
                const [text, element, range] = [node.data.trim(), node.parentElement, page.createRange()];
                if (!text || element.tagName === "title") continue;
                texts += 1;
                range.selectNodeContents(node);
                const box = range.getBoundingClientRect();
                const home = (element.closest("svg, .card") || page.body).getBoundingClientRect();
                if (box.left < home.left - 1 || box.right > home.right + 1 || box.bottom > home.bottom + 1)
                    fail("cut off", text);
                const style = view.getComputedStyle(element);
                const [one, other] = [
                    light(element.closest("svg") ? style.fill : style.color), light(paper(element, view))];
                if ((Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05) < 4.5) fail("faint", text);
            }
            const boxes = (selector) => [...page.querySelectorAll(selector)].map((part) => part.getBoundingClientRect());
            const cards = boxes(".cards > .card");
            const columns = new Set(cards.map((card) => card.left)).size;
            if (frame.title.endsWith("A4") && columns !== 2) fail("columns", `${columns}`);
            for (const card of cards) {
                const below = cards.filter((other) => other.left === card.left && other.top > card.top);
                const gap = Math.min(...below.map((other) => other.top)) - card.bottom;
                if (below.length && gap > 21) fail("gap", `${gap}`);
            }
            for (const row of frame.title.startsWith("hostile") ? [] : page.querySelectorAll(".attribute:not(.notes)")) {
                const [label, value, chip, list, chart] = ["h3", ".value", ".chip", ".reference", ".week"]
                    .map((part) => row.querySelector(part)?.getBoundingClientRect());
                if (chip && chip.top >= value.bottom) fail("on two lines", row.innerText);
                if (label.bottom > value.top + 1 || value.bottom > Math.min(chart.top, list?.top ?? chart.top) + 1)
                    fail("in another order", row.innerText);
                if (list && list.right > chart.left + 1 && list.bottom > chart.top + 1)
                    fail("over the chart", row.innerText);
            }
            for (const chart of page.querySelectorAll("svg.week")) {
                const boxes = [...chart.querySelectorAll("text")].filter((label) => label.textContent)
                    .map((label) => [label.textContent, label.getBoundingClientRect()]);
                boxes.forEach(([text, box], index) => boxes.slice(index + 1).forEach(([next, other]) => {
                    if (box.left < other.right - 1 && other.left < box.right - 1 && box.top < other.bottom - 2
                        && other.top < box.bottom - 2) fail("over another", `${text} ${next} ${chart.ariaLabel}`);
                }));
            }
        }
        onload = () => {
            document.querySelectorAll("iframe").forEach(check);
            const told = document.body.dataset;
            told.texts = texts;
            told.faults = [...faults].slice(0, 20).join(" | ");
        };
        """

    @Test(
        "The page has highlights on the first screen, no gaps, values on one line, nothing cut off, and readable text",
        arguments: [false, true])
    func layout(isDark: Bool) throws {
        var demo = Report.summarized.changing { each in
            each.summary?.usual? += 1_000
            each.summary?.before? += 1_000
        }
        demo.demo = true
        #expect(demo.highlights.count == 5)
        let reports = [
            ("week", demo), ("month", Self.weeks(4)), ("year", Self.weeks(52)), ("ten years", Self.weeks(520)),
            ("hostile", .hostile),
        ]
        let frames = reports.flatMap { name, report in
            let page = HTMLReport(report: report).rendered().replacingOccurrences(of: "&", with: "&amp;")
                .replacingOccurrences(of: "\"", with: "&quot;")
            // Makes the print style apply on a screen, so that it can be checked at the width of A4 paper.
            let paper = page.replacingOccurrences(of: "@media print {", with: "@media all {")
                .replacingOccurrences(of: "@media screen and", with: "@media print and")
            let frames = [400, 800, 1200, 1600].map { ("\($0)", page, $0) } + [("A4", paper, 703)]
            return frames.map { place, page, width in
                """
                <iframe title="\(name) at \(place)" srcdoc="\(page)" style="width: \(width)px; height: 700px; border: 0">
                </iframe>
                """
            }
        }
        let folder = try TemporaryFolder()
        let head = "<!doctype html><meta charset=\"utf-8\"><script>const isDark = \(isDark);\(Self.script)</script>"
        let file = try folder.file("pages.html", holding: head + "<body>" + frames.joined())
        let dom = try Chromium.dom(of: file, isDark: isDark)
        let texts = dom.firstMatch(of: #/data-texts="(\d+)"/#).flatMap { Int($0.1) } ?? 0
        let faults = dom.firstMatch(of: #/data-faults="([^"]*)"/#)?.1
        #expect(texts > 2_000 && faults == "", "\(faults ?? "none")")
    }
}
