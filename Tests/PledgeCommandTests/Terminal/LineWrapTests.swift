import Testing

@testable import PledgeCommand

@Suite("Wrapping any text", .serialized)
struct LineWrapTests {
    private static let jamo = String(repeating: "\u{1100}", count: 60)
    private static let texts = [
        jamo, "a \(jamo) b", jamo + jamo, "👨‍👩‍👧‍👦 family", "e" + String(repeating: "\u{301}", count: 900), "読書した時間",
        String(repeating: "\u{200B}", count: 50), "\u{301}\u{301} \u{FE0F}", "   ", "🇳🇴🇳🇴🇳🇴", "a\u{0}b",
        "\u{1100}\u{FE0F}",
        String(repeating: "क्", count: 300), String(repeating: "word ", count: 200),
    ]

    @Test("works at every width, keeps all of the text, and makes no line wider than necessary", arguments: texts)
    func anything(text: String) {
        for width in [-1, 0, 1, 2, 3, 7, 66, 120, 1000] {
            let lines = text.wrapped(to: width)
            #expect(Self.scalars(lines.joined()) == Self.scalars(text))
            // Only one scalar of two columns may exceed a width, of one.
            #expect(lines.allSatisfy { $0.columns <= max(width, 2) }, "\(width)")
        }
    }

    private static func scalars(_ text: String) -> [Unicode.Scalar] { text.unicodeScalars.filter { $0 != " " } }

    @Test("measures each character once, whatever the words are")
    func once() {
        let words = [
            String(repeating: "x", count: 40_000), String(repeating: "x ", count: 20_000),
            String(repeating: "\u{200B} ", count: 20_000), String(repeating: "読", count: 40_000),
        ]
        for text in words {
            var measured = 0
            let lines = text.wrapped(to: 66) { character in
                measured += 1
                return character.columns
            }
            #expect(measured == text.count { $0 != " " })
            #expect(lines.count > 1)
        }
    }

    @Test("measures each scalar of a character that is wider than the line once more, and no more often")
    func wide() {
        let text = String(repeating: "\u{1100}", count: 40_000)
        var measured = 0
        let lines = text.wrapped(to: 66) { character in
            measured += 1
            return character.columns
        }
        #expect(text.count == 1 && measured == 40_001)
        #expect(lines.count == 40_000 / 33 + 1)
    }
}
