import PledgeTestSupport
import Testing

@testable import PledgeBatch

@Suite("Timers")
struct TimersTests {
    @Test("Timers come out when due, sorted by time; timers with the same time come out in the order they were set")
    func order() {
        var random = SeededGenerator(seed: 1)
        var (timers, left, out) = (Timers<Int>(), [(time: Double, number: Int)](), [Int]())
        for number in 0..<2_000 {
            let time = Double(Int.random(in: 0..<40, using: &random))
            timers.set(number, at: time)
            left.append((time, number))
            guard number.isMultiple(of: 3) else { continue }
            let now = Double(Int.random(in: 0..<40, using: &random))
            let next = left.min { ($0.time, $0.number) < ($1.time, $1.number) } ?? (0, 0)
            #expect(timers.next == next.time)
            let due = timers.popDue(by: now)?.element
            #expect(due == (next.time <= now ? next.number : nil))
            left.removeAll { $0.number == due }
        }
        while let (_, number) = timers.popDue(by: 40) { out.append(number) }
        #expect(out == left.sorted { ($0.time, $0.number) < ($1.time, $1.number) }.map(\.number) && timers.next == nil)
    }
}

@Suite("The random number generator")
struct SplitMix64Tests {
    @Test("A seed produces the same numbers as in the reference implementation")
    func numbers() {
        var generator = SplitMix64(state: 1_234_567)
        #expect(generator.next() == 6_457_827_717_110_365_317 && generator.next() == 3_203_168_211_198_807_973)
    }
}
