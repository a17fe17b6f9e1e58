/// An error of neither a service nor the command line.
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
    static let userAgent = "pledge/\(text)"
}
