import Foundation
import Pledge

/// The environment of a run, passed in so that several runs can share a process.
struct RunContext: Sendable {
    var terminal: Terminal
    var clock = Timekeeper.live
    var timeZone = TimeZone.current

    var environment: [String: String] { terminal.environment }

    init(environment: [String: String] = [:]) {
        terminal = Terminal(environment: environment)
    }
}
