import Foundation

/// Random cases that are the same on every run. `PLEDGE_FUZZ_SEED` selects other cases, and `PLEDGE_EFFORT` multiplies
/// their number.
package enum Fuzzing {
    private static let firstSeed = ProcessInfo.processInfo.environment["PLEDGE_FUZZ_SEED"].flatMap(UInt64.init) ?? 1

    /// Runs each case with a seed of its own, so that a failing case can be reproduced alone.
    package static func run(
        cases usual: Int, _ name: String = #function, _ body: (UInt64, inout SeededGenerator) throws -> Void
    ) rethrows {
        let seeds = firstSeed..<firstSeed + UInt64(Rounds.count(usual: usual, isSlow: false))
        print("fuzz: \(name), seeds \(seeds)")
        for seed in seeds {
            var generator = SeededGenerator(seed: seed)
            try body(seed, &generator)
        }
    }
}
