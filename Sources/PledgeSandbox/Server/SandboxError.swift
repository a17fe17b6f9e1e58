/// Why a server could not start.
public struct SandboxError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The system call that failed.
    public let call: String
    /// The system's error number.
    public let code: Int32

    /// One sentence for people.
    public var description: String {
        "The sandbox could not start: \(call) failed with error \(code)."
    }
}
