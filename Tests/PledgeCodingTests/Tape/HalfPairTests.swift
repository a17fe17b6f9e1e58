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

    @Test(
        "An incomplete escape is rejected as not JSON",
        arguments: [#""\uD83""#, #""\uD83E\u""#, #""\uD83E\uDE""#, #""\u""#, #""\uD83G""#])
    func improper(json: String) {
        #expect(throws: JSONTape.Problem.notJSON) { try texts("[\(json)]") }
    }
}
