import Foundation

/// How often tests do over what chance decides.
package enum Rounds {
    /// As many as the environment's variable says; fewer than usual where a sanitizer makes each of them expensive.
    package static func count(_ variable: String, usual: Int) -> Int {
        let said = ProcessInfo.processInfo.environment[variable].flatMap { Int($0) }
        return said ?? (SmallStack.isSanitized ? max(1, usual / 25) : usual)
    }
}
