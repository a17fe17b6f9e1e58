import Testing

@testable import PledgeCommand

@Suite("The width of text", .serialized)
struct DisplayWidthTests {
    private static let jamo = String(repeating: "\u{1100}", count: 60)
    private static let texts = [
        jamo, "a \(jamo) b", jamo + jamo, "👨‍👩‍👧‍👦 family", "e" + String(repeating: "\u{301}", count: 900), "読書した時間",
        String(repeating: "\u{200B}", count: 50), "\u{301}\u{301} \u{FE0F}", "   ", "🇳🇴🇳🇴🇳🇴", "a\u{0}b",
        "\u{1100}\u{FE0F}", String(repeating: "क्", count: 300), String(repeating: "word ", count: 200),
    ]

    @Test("Wrapped lines fit the width, and together keep the whole text", arguments: texts)
    func anything(text: String) {
        for width in [-1, 0, 1, 2, 3, 7, 66, 120, 1000] {
            let lines = text.wrapped(to: width)
            #expect(Self.scalars(lines.joined()) == Self.scalars(text))
            // If the width is below 2, a line may still have two columns, because a single scalar can be that wide.
            #expect(lines.allSatisfy { $0.columns <= max(width, 2) }, "\(width)")
        }
    }

    private static func scalars(_ text: String) -> [Unicode.Scalar] { text.unicodeScalars.filter { $0 != " " } }

    @Test("Lines break at spaces, and within a word only if the word is wider than a line; text can be padded")
    func wrapping() {
        #expect("You sleep more when you walk".wrapped(to: 10) == ["You sleep", "more when", "you walk"])
        #expect("".wrapped(to: 10).isEmpty)
        #expect("a Donaudampfschiff b".wrapped(to: 6) == ["a", "Donaud", "ampfsc", "hiff b"])
        #expect("読書した時間".wrapped(to: 5) == ["読書", "した", "時間"])
        #expect(String(repeating: "読", count: 40_000).wrapped(to: 66).count == 1213)
        #expect("喝茶".padded(to: 6) == "喝茶  " && "喝茶".rightAligned(to: 6) == "  喝茶")
        #expect("Steps".padded(to: 3) == "Steps")
    }

    @Test(
        "The width of text is counted in columns, not in characters",
        arguments: [
            ("Steps", 5), ("喝茶", 4), ("🚶 Steps", 8), ("👨‍👩‍👧‍👦", 2), ("☕️", 2), ("🇳🇴", 2), ("👍🏽", 2),
            ("e\u{301}", 1), ("한국", 4), ("\u{1112}\u{1161}\u{11AB}", 2), ("ﾃｽﾄ", 3), ("ＡＢ", 4), ("▁█·●○★", 6),
            ("a\u{200B}b", 2), ("", 0),
        ])
    func columns(text: String, columns: Int) {
        #expect(text.columns == columns)
    }

    @Test(
        "The last character of each block of wide characters is two columns wide",
        arguments: [
            0x115F, 0x303E, 0xA4CF, 0xA97C, 0xD7A3, 0xFAFF, 0xFE19, 0xFE6F, 0xFF60, 0xFFE6, 0x18DFF, 0x1B2FF, 0x1F2FF,
            0x3FFFD,
        ] as [UInt32])
    func ends(value: UInt32) throws {
        #expect(try String(#require(Unicode.Scalar(value))).columns == 2)
    }
}
