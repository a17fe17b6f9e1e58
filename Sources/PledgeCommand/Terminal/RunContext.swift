import Foundation
import Pledge

/// What a run of the tool gets from the process around it, so that several can run in one process.
struct RunContext: Sendable {
    var terminal: Terminal
    var clock = Timekeeper.live
    var timeZone = TimeZone.current

    var environment: [String: String] { terminal.environment }

    init(environment: [String: String] = [:]) {
        terminal = Terminal(environment: environment)
    }
}
