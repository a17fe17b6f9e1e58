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

    @Test(
        "Digits are the number that they are, and a number is the text that was sent",
        arguments: [
            (#""12""#, 12, 12, "12"), (#""-3""#, -3, -3, "-3"), (#""7.50""#, nil, 7.5, "7.50"),
            (#""1e3""#, nil, 1000, "1e3"), ("12", 12, 12, "12"), ("7.50", nil, 7.5, "7.50"),
            ("12345678901234567890", nil, 12_345_678_901_234_567_168, "12345678901234567890"),
            ("1e400", nil, nil, "1e400"),
        ] as [(String, Int?, Double?, String?)])
    func digits(_ json: String, _ int: Int?, _ double: Double?, _ text: String?) throws {
        let found = try read(json)
        #expect(found.int == int && found.double == double && found.text == text && found.lifetime == double ?? -1)
    }

    @Test(
        "What only Swift takes for a number is none",
        arguments: ["", " 7", "0x10", "inf", "nan", "1e400", "1_000", "seven", "７"])
    func words(_ text: String) throws {
        let found = try read("\"\(text)\"")
        #expect(found.int == nil && found.double == nil && found.text == text && found.lifetime == -1)
    }

    @Test("Nothing else is either", arguments: ["true", "[]", "{}", "null"])
    func others(_ json: String) throws {
        let found = try read(json)
        #expect(
            found.int == nil && found.double == nil && found.text == nil
                && found.lifetime == (json == "null" ? nil : -1))
    }
}
