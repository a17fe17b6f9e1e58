import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeCoding

@Suite("Text with many combining marks on a letter")
struct StreamSafeTests {
    private static let hostile = "a" + String(repeating: "\u{301}\u{323}", count: 5000) + "b\u{301}"

    private func longestRun(_ text: String) -> Int {
        var (longest, run) = (0, 0)
        for scalar in text.unicodeScalars {
            run = scalar.properties.canonicalCombiningClass == .notReordered ? 0 : run + 1
            longest = max(longest, run)
        }
        return longest
    }

    @Test("streamSafe limits text to thirty combining marks in a row, and removes none of the marks")
    func marks() {
        let safe = streamSafe(Self.hostile)
        #expect(longestRun(safe) == 30 && safe.unicodeScalars.filter { $0 == "\u{34F}" }.count == 333)
        #expect(longestRun(streamSafe("a" + String(repeating: "\u{300}", count: 31))) == 30)
        #expect(safe.unicodeScalars.filter { $0 != "\u{34F}" } == Array(Self.hostile.unicodeScalars))
    }

    @Test(
        "streamSafe doesn't change text that has at most thirty combining marks in a row",
        arguments: [
            "", "a", String(repeating: "long", count: 50), String(repeating: "日本語", count: 50),
            "a" + String(repeating: "\u{301}", count: 30) + String(repeating: "e\u{301}", count: 40),
        ])
    func others(_ text: String) { #expect(streamSafe(text).unicodeScalars.elementsEqual(text.unicodeScalars)) }

    @Test(
        "The combining marks in a response's names, escaped or not, are limited, but not those in values",
        arguments: [false, true])
    func response(_ isEscaped: Bool) throws {
        let text = "a" + String(repeating: isEscaped ? #"\u0301"# : "\u{301}", count: 90)
        let body = Data(#"{"\#(text)": "\#(text)"}"#.utf8)
        let value = try TapeDecoder.decode(JSONValue.self, from: JSONTape(body))
        guard case .object(let members) = value else { return _ = Issue.record("no object") }
        #expect(members.keys.map(longestRun) == [30])
        #expect(members.values.first == .string("a" + String(repeating: "\u{301}", count: 90)))
    }
}
