import PledgeCoding
import Testing

@Suite("The property wrapper Uncompared")
struct UncomparedTests {
    @Test("An Uncompared property equals every other, and adds nothing to a hash")
    func equal() { #expect(Set([1, 2].map { Uncompared(wrappedValue: $0) }).count == 1) }
}

@Suite("Keys that are compared by their bytes", .serialized)
struct ExactTextTests {
    @Test("ExactText equals only text with the same bytes, and is ordered by its bytes")
    func bytes() {
        let (composed, parted) = ("\u{E9}", "e\u{301}")
        #expect(composed == parted && ExactText(composed) != ExactText(parted))
        #expect(Set([composed, parted, composed].map(ExactText.init)).count == 2)
        #expect(ExactText("a") < ExactText("b") && ExactText(parted) < ExactText(composed))
    }

    @Test(
        "ExactText is never normalized, so keys with a million combining marks are compared quickly",
        .timeLimit(.minutes(60)))
    func marks() {
        // A String sorts the marks before it compares them, which would take hours for this many.
        let text = "a" + String(repeating: "\u{301}\u{323}", count: 500_000)
        #expect(Set([text + "b", text + "c", text + "b"].map(ExactText.init)).count == 2)
        #expect(ExactText(text + "b") < ExactText(text + "c"))
    }
}
