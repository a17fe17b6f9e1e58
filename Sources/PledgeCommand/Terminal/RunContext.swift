import Foundation
import Pledge
import PledgeLibraries

/// The surroundings of a run: its terminal, clock, and time zone. They are passed as a value, so that several runs can
/// share a process.
struct RunContext: Sendable {
    var terminal: Terminal
    var clock = Timekeeper.live
    var timeZone = TimeZone.current

    var environment: [String: String] { terminal.environment }

    init(environment: [String: String] = [:]) {
        terminal = Terminal(environment: environment)
    }
}
