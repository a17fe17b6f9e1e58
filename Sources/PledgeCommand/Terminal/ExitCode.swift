/// The exit codes of this tool.
enum ExitCode: Int32 {
    case success = 0
    case failure = 1
    /// The command has run to its end, but some accounts failed or, with `pledge forget --verify`, some texts are left.
    case someFailed = 2
    case serviceDown = 3
    /// The command has run to its end, but items that could not be read are missing. For `pledge check`, something
    /// differs.
    case partial = 4
    /// The command line or the environment is invalid. The code is the one in `sysexits.h`.
    case usage = 64
    /// The code that a shell reports for a program that was interrupted with Ctrl-C.
    case interrupted = 130
    /// The code that a shell reports for a program that was ended because it wrote to a closed pipe.
    case closedPipe = 141
}

extension Error {
    /// The exit code of a command that throws this error.
    var exitCode: ExitCode {
        switch self {
        case is UsageError: .usage
        case is Terminal.ClosedPipe: .closedPipe
        default: .failure
        }
    }
}
