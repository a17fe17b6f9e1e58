import Foundation
import PledgeCoding
import Testing

@Suite("Unpaired surrogates, as in a text that a service truncates inside an emoji")
struct HalfPairTests {
    private func texts(_ json: String) throws -> [String] {
        try TapeDecoder.decode([String].self, from: JSONTape(Data(json.utf8)))
    }

    @Test(
        "An unpaired surrogate becomes a replacement character, and the text around it stays",
        arguments: [
            (#""\uD83E""#, "\u{FFFD}"), (#""\uDEB4""#, "\u{FFFD}"), (#""Rain \uD83E""#, "Rain \u{FFFD}"),
            (#""\uD83E\uD83E\uDEB4""#, "\u{FFFD}🪴"), (#""\uDEB4\uD83E""#, "\u{FFFD}\u{FFFD}"),
            (#""\uD83E\u0041""#, "\u{FFFD}A"), (#""\uD83E\n""#, "\u{FFFD}\n"), (#""\uD83E🪴""#, "\u{FFFD}🪴"),
            (#""\uD83E\uDEB4\uDEB4""#, "🪴\u{FFFD}"), (#""\uD83E\\uDEB4""#, "\u{FFFD}\\uDEB4"),
            (#""\uD83Eu""#, "\u{FFFD}u"),
        ])
    func halves(json: String, text: String) throws {
        #expect(try texts("[\"a\", \(json), \"b\"]") == ["a", text, "b"])
    }

    @Test("The first and last surrogates are decoded as in UTF-16, alone, in pairs, and beside other characters")
    func ends() throws {
        let ends: [UInt16] = [0x41, 0xD7FF, 0xD800, 0xDBFF, 0xDC00, 0xDFFF, 0xE000, 0xFFFF]
        for first in ends {
            for second in ends {
                let json =
                    "\"\\u\(NumberText.digits(Int(first), atLeast: 4, radix: 16))"
                    + "\\u\(NumberText.digits(Int(second), atLeast: 4, radix: 16))\""
                #expect(try texts("[\(json)]") == [String(decoding: [first, second], as: UTF16.self)], "\(json)")
            }
        }
    }
}
