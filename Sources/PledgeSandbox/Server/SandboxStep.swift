import Foundation

/// One thing to do to a connection in place of a proper reply.
public enum SandboxStep: Hashable, Sendable {
    /// Sends these bytes as they are.
    case send(Data)
    /// Sends these bytes again and again, until the other side ends the connection.
    case flood(Data)
    /// Does nothing for so many seconds.
    case pause(TimeInterval)
    /// Does nothing until the other side ends the connection.
    case wait
    /// Ends the connection at once and without ceremony (a TCP reset).
    case reset

    /// Sends this text again and again, until the other side ends the connection.
    public static func flood(_ text: String) -> SandboxStep { .flood(Data(text.utf8)) }

    /// Sends this text as it is.
    public static func send(_ text: String) -> SandboxStep { .send(Data(text.utf8)) }

    var bytes: Data {
        if case .send(let bytes) = self { bytes } else { Data() }
    }
}
