import Testing

@testable import PledgeBatch

@Suite("The hash of a name")
struct HashKeyTests {
    @Test("is that of its parts, byte by byte, which do not run into each other, in two independent halves")
    func parts() {
        let names = [
            ["ab", "c"], ["a", "bc"], ["abc"], ["abc", ""], ["", "abc"], [], [""], ["\u{E9}"], ["e\u{301}"], ["\0"],
            [String(repeating: "a", count: 1000)], [String(repeating: "a", count: 1001)],
        ]
        let keys = names.map { HashKey($0) }
        #expect(keys == names.map { HashKey($0) } && Set(keys).count == names.count)
        #expect(Set(keys.flatMap { [$0.high, $0.low] }).count == 2 * names.count)
    }

    @Test("The numbers of a seed are those of the generator's reference")
    func numbers() {
        var generator = SplitMix64(state: 1_234_567)
        #expect(generator.next() == 6_457_827_717_110_365_317 && generator.next() == 3_203_168_211_198_807_973)
    }
}

extension HashKey {
    fileprivate init(_ texts: [String]) {
        switch texts.count {
        case 0: self.init()
        case 1: self.init(texts[0])
        default: self.init(texts[0], texts[1])
        }
    }
}
