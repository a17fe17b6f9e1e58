import Foundation
import Pledge
import PledgeLibraries

/// An error that has nothing to do with a service's response or the command line, such as a file that can't be written.
struct Failure: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) {
        self.description = description
    }
}

/// An error in the command line or in the environment.
struct UsageError: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) {
        self.description = description
    }
}

extension Error {
    /// The exit code for this error: 64 for an invalid command line or environment, as in `sysexits.h`, or 1 for any
    /// other error.
    var exitCode: Int32 { self is UsageError ? 64 : 1 }
}

enum Version {
    static let text = "1.0.0"
    /// The version. In a packaged build, the commit that it was built from follows in parentheses.
    static let full: String = {
        let commit = String(cString: pledge_commit)
        return commit.isEmpty ? text : "\(text) (\(commit))"
    }()
    static let userAgent = "pledge/\(text)"
}

/// The exit codes of a command that has run to its end or was interrupted. A command that throws an error exits with
/// ``Swift/Error/exitCode`` instead.
enum ExitCode: Int32 {
    case allDone = 0
    case someFailed = 2
    case serviceDown = 3
    /// Everything was done, but items that could not be decoded are missing.
    case partial = 4
    case interrupted = 130
}

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
