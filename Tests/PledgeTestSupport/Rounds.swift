import Foundation

/// The size of tests that depend on chance, or that prove something only if they are large.
package enum Rounds {
    /// The value of `PLEDGE_EFFORT`: how many times larger these tests are than in a developer's run.
    private static let effort = ProcessInfo.processInfo.environment["PLEDGE_EFFORT"].flatMap { Double($0) } ?? 1

    /// Whether this is the long run before a release, in which tests have realistic sizes.
    package static let isLong = effort >= 5

    /// Returns the number of rounds for a test that has `usual` rounds in a developer's run.
    ///
    /// - Parameter isSlow: Whether the test has fewer rounds with a sanitizer, which makes each round expensive.
    package static func count(usual: Int, isSlow: Bool = true) -> Int {
        max(1, Int(Double(usual) * effort / (isSlow && SmallStack.isSanitized ? 25 : 1)))
    }
}
