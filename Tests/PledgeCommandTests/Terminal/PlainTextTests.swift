import Testing

@testable import PledgeCommand

@Suite("Text from the service", .serialized)
struct PlainTextTests {
    @Test("Text from a service loses every C0 and C1 control character")
    func controls() {
        let scalars = (0...0x9F as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init)
        let safe = String(String.UnicodeScalarView(scalars)).withoutControls
        #expect(safe.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
        #expect(safe.hasSuffix("xyz{|}~ "))
    }

    @Test(
        "Text can't retitle a terminal, hide an escape, or reverse its direction; accents and other scripts stay",
        arguments: [
            ("\u{1B}]0;owned\u{07}Steps", "]0;ownedSteps"), ("a\u{1B}\u{301}[31mb", "a\u{301}[31mb"),
            ("\u{9B}31mred", "31mred"), ("a\u{202E}b\u{2066}c\u{2069}", "abc"),
            ("👨‍👩‍👧‍👦 Åse e\u{301} 読書 שלום", "👨‍👩‍👧‍👦 Åse e\u{301} 読書 שלום"),
        ])
    func marks(text: String, safe: String) {
        #expect(text.withoutControls == safe)
    }

    @Test("Text is put on one line, or on several without blank lines, with at most 30 combining marks in a row")
    func lines() {
        #expect(" a\r\nb\u{2028}c\u{85}d\te  f\n".onOneLine == "a b c d e f")
        #expect("one\r\n\r\n  two\u{1B} \nthree".safeLines == ["one", "two", "three"])
        // The limit also applies to marks that were separated by a control character.
        let marks = String(repeating: "\u{301}\u{323}", count: 15)
        #expect("a\(marks)\u{7}\(marks)".onOneLine.unicodeScalars.count { $0 == "\u{34F}" } == 1)
    }

    @Test("An excerpt has at most 60 characters, never cuts a character, and is short even if a character isn't")
    func excerpt() {
        let family = "👨‍👩‍👧‍👦"
        #expect(String(repeating: "a", count: 60).excerpt.count == 60)
        #expect(String(repeating: "a", count: 61).excerpt == String(repeating: "a", count: 60) + "…")
        #expect(String(repeating: family, count: 9).excerpt == String(repeating: family, count: 9))
        #expect(String(repeating: family, count: 61).excerpt == String(repeating: family, count: 9) + "…")
        #expect(("a" + String(repeating: "\u{301}", count: 1_000)).excerpt == "…")
    }

    @Test(
        "A sentence from a service begins with a capital letter",
        arguments: [("you sleep.", "You sleep."), ("é", "É"), ("", "")])
    func sentence(text: String, sentence: String) {
        #expect(text.capitalizedSentence == sentence)
    }
}
