import Testing

@testable import PledgeCommand

@Suite("HTML markup", .serialized)
struct HTMLTests {
    @Test("HTML escapes inserted text, keeps inserted markup, and breaks lines only on request")
    func escaping() {
        let label = "<script>alert(\"1\" & '2')</script>"
        let markup: HTML = "<p title=\"\(label)\">\(label)</p>"
        let escaped = "&lt;script&gt;alert(&quot;1&quot; &amp; &#39;2&#39;)&lt;/script&gt;"
        #expect(markup.source == "<p title=\"\(escaped)\">\(escaped)</p>")
        let (item, none): (HTML, HTML?) = ("<li>\("a & b")</li>", nil)
        let list: HTML = "<ul>\(none)\([item, item])</ul>"
        #expect(list.source == "<ul><li>a &amp; b</li>\n<li>a &amp; b</li></ul>")
        let text = "one\n<two>\u{0}"
        #expect(("\(text)" as HTML).source == "one &lt;two&gt;")
        #expect(("\(lines: text)" as HTML).source == "one<br>&lt;two&gt;")
        #expect(("\(unbroken: text)" as HTML).source == "one&nbsp;&lt;two&gt;")
    }

    @Test(
        "Lengths in HTML have at most one decimal",
        arguments: [(12.0, "12"), (3.04, "3"), (-0.26, "-0.3"), (1.25, "1.3")])
    func lengths(length: Double, text: String) {
        #expect(("\(length)" as HTML).source == text)
    }
}
