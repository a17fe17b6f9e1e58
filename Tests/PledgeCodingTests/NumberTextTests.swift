import PledgeCoding
import Testing

@Suite("Numbers as text", .serialized)
struct NumberTextTests {
    @Test(
        "A number's text has commas between thousands, no sign if it rounds to zero, and a dash if it isn't finite",
        arguments: [
            (0, 0, "0"), (999, 0, "999"), (1000, 0, "1,000"), (1_002_003, 0, "1,002,003"), (1234.56, 1, "1,234.6"),
            (0.05, 2, "0.05"), (2.5, 0, "3"), (-1234, 0, "−1,234"), (72, 1, "72.0"), (-0.04, 1, "0.0"),
            (999_999_999_999_999, 0, "999,999,999,999,999"), (1e15, 0, "1000000000000000.0"), (12.5, -1, "13"),
            (.nan, 0, "–"), (-.infinity, 0, "–"), (1e300, 0, "1e+300"), (-1, 0, "−1"),
        ] as [(Double, Int, String)])
    func grouping(value: Double, decimals: Int, text: String) {
        #expect(NumberText.grouped(value, decimals: decimals) == text)
        #expect(decimals != 0 || NumberText.grouped(value) == text)
    }

    @Test("A trimmed number's text has no decimal part if that part is zero")
    func trimming() { #expect([3.04, 2.4, 2.96].map { NumberText.trimmed($0, decimals: 1) } == ["3", "2.4", "3"]) }

    @Test(
        "A duration's text has seconds, minutes, or hours and minutes, depending on the duration's length",
        arguments: [
            (0.4, "0 s"), (99.4, "99 s"), (99.5, "2 min"), (5_969, "99 min"), (5_970, "1 h 39 min"),
            (90_060, "25 h 1 min"),
        ])
    func duration(seconds: Double, text: String) { #expect(NumberText.duration(seconds) == text) }

    @Test("A counted noun is in the plural, except after 1")
    func counting() {
        #expect([0, 1, 1_200].map { NumberText.counted($0, "item") } == ["0 items", "1 item", "1,200 items"])
    }
}
