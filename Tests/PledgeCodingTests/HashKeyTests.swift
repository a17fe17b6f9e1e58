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
