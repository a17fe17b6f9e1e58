import Foundation

/// The size of what depends on chance, or proves something only by its size.
package enum Rounds {
    /// `PLEDGE_EFFORT`: how many times as much of it there is as in a developer's run.
    private static let effort = ProcessInfo.processInfo.environment["PLEDGE_EFFORT"].flatMap { Double($0) } ?? 1

    /// Whether this is the run before a release, where sizes are those of the real world.
    package static let isLong = effort >= 5

    /// Returns the number for a test that has `usual` in a developer's run.
    ///
    /// - Parameter isSlow: Whether there are fewer under a sanitizer, which makes each expensive.
    package static func count(usual: Int, isSlow: Bool = true) -> Int {
        max(1, Int(Double(usual) * effort / (isSlow && SmallStack.isSanitized ? 25 : 1)))
    }
}
