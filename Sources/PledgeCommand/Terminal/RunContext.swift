import Foundation
import Pledge
import PledgeLibraries

/// An error that comes neither from a service nor from the command line.
struct Failure: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) {
        self.description = description
    }
}

/// An invalid command line or environment.
struct UsageError: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) {
        self.description = description
    }
}

extension Error {
    /// The exit code for this error: 64, as in `sysexits.h`, for an invalid command line.
    var exitCode: Int32 { self is UsageError ? 64 : 1 }
}

enum Version {
    static let text = "1.0.0"
    /// The version and, in a package, the commit that it was built from.
    static let full: String = {
        let commit = String(cString: pledge_commit)
        return commit.isEmpty ? text : "\(text) (\(commit))"
    }()
    static let userAgent = "pledge/\(text)"
}

/// The exit codes of a command that has run. Two others are 1 for an error and 64 for wrong arguments.
enum ExitCode: Int32 {
    case allDone = 0
    case someFailed = 2
    case serviceDown = 3
    /// The run is complete, except for items that could not be decoded.
    case partial = 4
    case interrupted = 130
}

/// The environment of a run. It is passed as a value, so that several runs can share a process.
struct RunContext: Sendable {
    var terminal: Terminal
    var clock = Timekeeper.live
    var timeZone = TimeZone.current

    var environment: [String: String] { terminal.environment }

    init(environment: [String: String] = [:]) {
        terminal = Terminal(environment: environment)
    }
}
