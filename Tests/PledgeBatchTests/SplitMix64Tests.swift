import Testing

@testable import PledgeBatch

@Suite("The random number generator")
struct SplitMix64Tests {
    @Test("A seed produces the same numbers as in the reference implementation")
    func numbers() {
        var generator = SplitMix64(state: 1_234_567)
        #expect(generator.next() == 6_457_827_717_110_365_317 && generator.next() == 3_203_168_211_198_807_973)
    }
}
