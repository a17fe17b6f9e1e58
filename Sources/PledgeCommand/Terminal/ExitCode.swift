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

/// The exit codes of a command that has run to its end or was interrupted. A command that throws an error exits with
/// ``Swift/Error/exitCode`` instead.
enum ExitCode: Int32 {
    case allDone = 0
    case someFailed = 2
    case serviceDown = 3
    /// Everything was done, but items that could not be decoded are missing.
    case partial = 4
    /// The code that a shell reports for a program that was interrupted with Ctrl-C.
    case interrupted = 130
}
