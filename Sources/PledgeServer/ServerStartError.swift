import Foundation

/// The reason a server could not start.
public struct ServerStartError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the system call that failed.
    public let call: String
    /// The system's error number (`errno`).
    public let code: Int32

    /// A one-sentence description of the error.
    public var description: String {
        let advice = code == EADDRINUSE ? " Ask for another port, or for 0, which takes any that is free." : ""
        return "The server could not start: \(call): \(String(cString: strerror(code)))." + advice
    }
}
