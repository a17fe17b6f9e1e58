import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeBatch

@Suite("The progress of a batch")
struct BatchProgressTests {
    @Test(
        "A batch's progress shows how many items are done or waiting, when a wait ends, and the remaining time if known"
    )
    func description() {
        var tally = BatchTally()
        (tally.done, tally.errors) = (1_198, ["forbidden": 2])
        var progress = BatchProgress(tallies: ["exist": tally], elapsed: 1_200)
        #expect("\(progress)" == "1,198 done, 2 failed, 1.0/s" && progress.eta == nil)
        (progress.waiting, progress.wake, progress.left) = (1, Date(timeIntervalSince1970: 600), 50)
        #expect("\(progress)" == "1,198 done, 2 failed, 1 waiting until 00:10:00Z, 1.0/s, 50 s left")
        let new = BatchProgress(left: 7)
        #expect("\(new)" == "0 done, 0 failed, 0.0/s" && new.eta == nil && new.rate == 0 && new.elapsed == 0)
        #expect(BatchProgress(tallies: ["exist": tally], elapsed: 0.5).rate == 2_400)
    }
}

@Suite("A histogram of durations")
struct LatencyHistogramTests {
    @Test("A quantile is at most 10 % above the true duration; above seven minutes, it is the longest duration")
    func quantiles() {
        Fuzzing.run(cases: 300) { seed, generator in
            // From 15 µs to an hour.
            let durations = (0..<Int.random(in: 1...200, using: &generator)).map { _ in
                exp2(Double.random(in: -16...12, using: &generator))
            }
            var (one, other) = (LatencyHistogram(), LatencyHistogram())
            for (index, seconds) in durations.enumerated() {
                if index % 3 == 0 { one.record(seconds) } else { other.record(seconds) }
            }
            one.add(other)
            let sorted = durations.sorted()
            #expect(one.count == sorted.count && one.longest == sorted.last, "seed \(seed)")
            #expect(abs(one.sum - sorted.reduce(0, +)) < 1e-6, "seed \(seed)")
            for share in [0.5, 0.9, 0.99, 1, Double.random(in: 0.01...1, using: &generator)] {
                let exact = sorted[Int((share * Double(sorted.count)).rounded(.up)) - 1]
                let found = one.quantile(share)
                let expected =
                    exact > 0.0001 * pow(1.1, 159)
                    ? one.longest...one.longest : exact * 0.999...max(exact, 0.0001) * 1.101
                #expect(expected ~= found, "seed \(seed): \(share) of \(sorted.count): \(exact), \(found)")
            }
        }
        #expect(LatencyHistogram().quantile(0.5) == 0 && LatencyHistogram().quantile(.nan) == 0)
    }
}
