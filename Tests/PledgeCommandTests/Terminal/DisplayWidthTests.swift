import Testing

@testable import PledgeCommand

@Suite("Display width", .serialized)
struct DisplayWidthTests {
    @Test(
        "Width is counted in columns, not in characters",
        arguments: [
            ("Steps", 5), ("喝茶", 4), ("🚶 Steps", 8), ("👨‍👩‍👧‍👦", 2), ("☕️", 2), ("🇳🇴", 2), ("👍🏽", 2),
            ("e\u{301}", 1), ("한국", 4), ("\u{1112}\u{1161}\u{11AB}", 2), ("ﾃｽﾄ", 3), ("ＡＢ", 4), ("▁█·●○★", 6),
            ("a\u{200B}b", 2), ("", 0),
        ])
    func columns(text: String, columns: Int) {
        #expect(text.columns == columns)
    }

    @Test("Text is padded on either side")
    func padding() {
        #expect("喝茶".padded(to: 6) == "喝茶  " && "喝茶".rightAligned(to: 6) == "  喝茶")
        #expect("Steps".padded(to: 3) == "Steps")
    }
}
