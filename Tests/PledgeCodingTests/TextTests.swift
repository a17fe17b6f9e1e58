import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeCoding

@Suite("The hash of a name")
struct HashKeyTests {
    @Test("The hash of a name depends on its parts' bytes and on where each part ends; its two halves are independent")
    func parts() {
        func keys() -> [HashKey] {
            let long = String(repeating: "a", count: 1000)
            return [
                HashKey(), HashKey(""), HashKey("ab", "c"), HashKey("a", "bc"), HashKey("abc"), HashKey("abc", ""),
                HashKey("", "abc"), HashKey("\u{E9}"), HashKey("e\u{301}"), HashKey("\0"), HashKey(long),
                HashKey(long + "a"), HashKey("abc", and: 1), HashKey("abc", and: 2),
            ]
        }
        #expect(keys() == keys() && Set(keys()).count == keys().count && HashKey(high: 1, low: 2).high == 1)
        #expect(Set(keys().flatMap { [$0.high, $0.low] }).count == 2 * keys().count)
    }
}

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
