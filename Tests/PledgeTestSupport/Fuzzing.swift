import Foundation

/// Random cases that are the same on every run. `PLEDGE_FUZZ_SEED` selects other cases, and `PLEDGE_EFFORT` multiplies
/// their number.
package enum Fuzzing {
    private static let firstSeed = ProcessInfo.processInfo.environment["PLEDGE_FUZZ_SEED"].flatMap(UInt64.init) ?? 1

    /// Runs each case with a seed of its own, so that a failing case can be reproduced alone.
    package static func run(
        cases usual: Int, _ name: String = #function, _ body: (UInt64, inout SeededGenerator) throws -> Void
    ) rethrows {
        for seed in seeds(Rounds.count(usual: usual, isSlow: false), name) {
            var generator = SeededGenerator(seed: seed)
            try body(seed, &generator)
        }
    }

    /// Prints and returns the seeds of this number of cases.
    package static func seeds(_ count: Int, _ name: String = #function) -> Range<UInt64> {
        print("\(name): \(count) cases from PLEDGE_FUZZ_SEED=\(firstSeed)")
        return firstSeed..<firstSeed + UInt64(count)
    }

    /// Returns a generator for a test that is a single case. Prints its seed.
    package static func generator(_ name: String = #function) -> SeededGenerator {
        SeededGenerator(seed: seeds(1, name).lowerBound)
    }
}
