import Testing

@testable import PledgeCommand

@Suite("Text from the service", .serialized)
struct PlainTextTests {
    @Test("loses every C0 and C1 control character")
    func controls() {
        let scalars = (0...0x9F as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init)
        let safe = String(String.UnicodeScalarView(scalars)).withoutControls
        #expect(safe.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
        #expect(safe.hasSuffix("xyz{|}~ "))
    }

    @Test("cannot retitle a terminal, or hide an escape behind a combining mark")
    func escapes() {
        #expect("\u{1B}]0;owned\u{07}Steps".withoutControls == "]0;owned" + "Steps")
        #expect("a\u{1B}\u{301}[31mb".withoutControls.unicodeScalars.contains("\u{1B}") == false)
        #expect("\u{9B}31mred".withoutControls == "31mred")
    }

    @Test("cannot reverse the direction of what follows it")
    func directionOverrides() {
        #expect("a\u{202E}b\u{2066}c\u{2069}".withoutControls == "abc")
    }

    @Test("keeps emoji sequences, accents, and other scripts intact")
    func harmlessText() {
        let text = "👨‍👩‍👧‍👦 Åse e\u{301} 読書 שלום"
        #expect(text.withoutControls == text)
    }

    @Test("fits on one line, whatever its line breaks")
    func oneLine() {
        #expect(" a\r\nb\u{2028}c\u{85}d\te  f\n".onOneLine == "a b c d e f")
    }

    @Test("keeps its lines apart on request, without the blank ones")
    func lines() {
        #expect("one\r\n\r\n  two\u{1B} \nthree".safeLines == ["one", "two", "three"])
    }

    @Test("has no more than thirty marks in a row, even if a control character separated them")
    func marks() {
        let marks = String(repeating: "\u{301}\u{323}", count: 15)
        #expect(Array("a\(marks)\u{7}\(marks)".onOneLine.unicodeScalars).filter { $0 == "\u{34F}" }.count == 1)
    }

    @Test("begins with a capital letter as a sentence")
    func sentence() {
        #expect("you sleep more.".capitalizedSentence == "You sleep more.")
        #expect("éclair".capitalizedSentence == "Éclair")
        #expect("".capitalizedSentence == "")
    }
}
