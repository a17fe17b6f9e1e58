import Foundation

/// The number of times tests repeat what depends on chance.
package enum Rounds {
    /// `PLEDGE_EFFORT`: how many times as much of it there is as in a developer's run.
    private static let effort = ProcessInfo.processInfo.environment["PLEDGE_EFFORT"].flatMap { Double($0) } ?? 1

    /// Returns the number for a test that usually has `usual`.
    ///
    /// - Parameter isSlow: Whether there are fewer under a sanitizer, which makes each expensive.
    package static func count(usual: Int, isSlow: Bool = true) -> Int {
        max(1, Int(Double(usual) * effort / (isSlow && SmallStack.isSanitized ? 25 : 1)))
    }
}
