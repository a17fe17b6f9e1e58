import Foundation
import PledgeCoding
import Testing

@Suite("Numbers as text, and text as numbers")
struct DigitsTests {
    private struct Reading: Readable {
        var int: Int?
        var double: Double?
        var text: String?
        var lifetime: Double?

        init(reading source: TapeValue) throws(TapeFailure) {
            var fields = try source.fields()
            int = try? fields.int("value")
            double = try? fields.double("value")
            text = try? fields.text("value")
            lifetime = fields.lifetime("value", otherwise: -1)
        }
    }

    private func read(_ json: String) throws -> Reading {
        try TapeDecoder.decode(Reading.self, from: JSONTape(Data(#"{"value":\#(json)}"#.utf8)))
    }

    private static let values: [(json: String, int: Int?, double: Double?, text: String?)] = [
        (#""12""#, 12, 12, "12"), (#""-3""#, -3, -3, "-3"), (#""7.50""#, nil, 7.5, "7.50"), ("12", 12, 12, "12"),
        (#""1e3""#, nil, 1000, "1e3"), ("7.50", nil, 7.5, "7.50"), ("1e400", nil, nil, "1e400"),
        ("12345678901234567890", nil, 12_345_678_901_234_567_168, "12345678901234567890"),
    ]
    private static let words = ["", " 7", "0x10", "inf", "nan", "1e400", "1_000", "seven", "７"]
        .map { ("\"\($0)\"", Int?.none, Double?.none, String?.some($0)) }
    private static let others = ["true", "[]", "{}", "null"].map { ($0, Int?.none, Double?.none, String?.none) }

    @Test(
        "Digits are the number that they are, a number is the text that was sent, and nothing else is either",
        arguments: values + words + others)
    func digits(_ json: String, _ int: Int?, _ double: Double?, _ text: String?) throws {
        let found = try read(json)
        #expect(found.int == int && found.double == double && found.text == text)
        #expect(found.lifetime == double ?? (json == "null" ? nil : -1))
    }
}
