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
        #expect("喝茶".padded(to: 6) == "喝茶  ")
        #expect("喝茶".rightAligned(to: 6) == "  喝茶")
        #expect("Steps".padded(to: 3) == "Steps")
    }

    @Test("Text is wrapped at spaces, and a word is broken only if it is wider than the line")
    func wrapping() {
        #expect("You sleep more when you walk".wrapped(to: 10) == ["You sleep", "more when", "you walk"])
        #expect("".wrapped(to: 10).isEmpty)
        #expect("a Donaudampfschiff b".wrapped(to: 6) == ["a", "Donaud", "ampfsc", "hiff b"])
        #expect("読書した時間".wrapped(to: 5) == ["読書", "した", "時間"])
    }
}
