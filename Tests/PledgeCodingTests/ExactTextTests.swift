import PledgeCoding
import Testing

@Suite("A property that is not compared")
struct UncomparedTests {
    @Test("equals any other, and adds nothing to a hash")
    func equal() { #expect(Set([1, 2].map { Uncompared(wrappedValue: $0) }).count == 1) }
}

@Suite("Text as a key, compared by its bytes,", .serialized)
struct ExactTextTests {
    @Test("equals only text with the same bytes, and is ordered by them")
    func bytes() {
        let (composed, parted) = ("\u{E9}", "e\u{301}")
        #expect(composed == parted && ExactText(composed) != ExactText(parted))
        #expect(Set([composed, parted, composed].map(ExactText.init)).count == 2)
        #expect(ExactText("a") < ExactText("b") && ExactText(parted) < ExactText(composed))
    }

    @Test("is never normalized, so keys with a million marks are compared quickly", .timeLimit(.minutes(60)))
    func marks() {
        // Sorted, as String compares them, this many would take hours.
        let text = "a" + String(repeating: "\u{301}\u{323}", count: 500_000)
        #expect(Set([text + "b", text + "c", text + "b"].map(ExactText.init)).count == 2)
        #expect(ExactText(text + "b") < ExactText(text + "c"))
    }
}
