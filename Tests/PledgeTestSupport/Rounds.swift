import Foundation

/// The number of times tests repeat what depends on chance.
package enum Rounds {
    /// Returns the value of the environment variable, or `usual`; fewer where a sanitizer makes each round expensive.
    package static func count(_ variable: String, usual: Int) -> Int {
        let said = ProcessInfo.processInfo.environment[variable].flatMap { Int($0) }
        return said ?? (SmallStack.isSanitized ? max(1, usual / 25) : usual)
    }
}
