import Foundation

/// Cases made at random, the same in every run: `PLEDGE_FUZZ_SEED` makes others, and `PLEDGE_FUZZ_CASES` more of them.
package enum Fuzzing {
    private static let environment = ProcessInfo.processInfo.environment
    private static let firstSeed = environment["PLEDGE_FUZZ_SEED"].flatMap(UInt64.init) ?? 1

    /// How many cases there are where a test usually has so many.
    package static func cases(_ usual: Int) -> Int {
        environment["PLEDGE_FUZZ_CASES"].flatMap(Int.init) ?? usual
    }

    /// Each case has a seed of its own: with that and one case, a failure comes back alone.
    package static func run(
        cases usual: Int, _ name: String = #function, _ body: (UInt64, inout SeededGenerator) throws -> Void
    ) rethrows {
        let seeds = firstSeed..<firstSeed + UInt64(cases(usual))
        print("fuzz: \(name), seeds \(seeds)")
        for seed in seeds {
            var generator = SeededGenerator(seed: seed)
            try body(seed, &generator)
        }
    }
}
