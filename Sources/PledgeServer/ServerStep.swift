import Foundation

/// A step to perform on a connection in place of a regular response.
public enum ServerStep: Hashable, Sendable {
    /// Sends the bytes unchanged.
    case send(Data)
    /// Sends the bytes repeatedly until the other side ends the connection.
    case flood(Data)
    /// Pauses for a number of seconds.
    case pause(TimeInterval)
    /// Waits until the other side ends the connection.
    case wait
    /// Ends the connection abruptly with a TCP reset.
    case reset

    /// Sends the text repeatedly until the other side ends the connection.
    public static func flood(_ text: String) -> ServerStep { .flood(Data(text.utf8)) }

    /// Sends the text unchanged.
    public static func send(_ text: String) -> ServerStep { .send(Data(text.utf8)) }

    var bytes: Data { if case .send(let bytes) = self { bytes } else { Data() } }
}
