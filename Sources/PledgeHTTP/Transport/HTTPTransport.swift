import Foundation
import Pledge

/// A type that sends requests. Conform to it for a fake, a different HTTP client, or recording.
public protocol HTTPTransport: Sendable {
    /// Sends a request once, follows no redirect, and keeps no state between calls.
    ///
    /// - Rejects: With ``TransportError``. A status code such as 404 or 500 is a response, not an error.
    /// - Cancellation: Cancels the request in progress.
    func send(_ request: OutgoingRequest) -> Promise<HTTPReply>

    /// Whether the transport sends a body from files and writes a response to a file without holding them in memory.
    ///
    /// Only this package's transports do so. A transport that passes requests to one of these unchanged can return its
    /// value. For any other, the client reads such a body into memory, and writes a complete response to its file.
    var streamsFiles: Bool { get }
}

extension HTTPTransport {
    /// False, so that the client reads and writes the files itself.
    public var streamsFiles: Bool { false }
}

/// The reason no complete response was received.
public enum TransportError: Error, Sendable, Equatable, CustomStringConvertible {
    /// No connection could be established.
    case unreachable(String)
    /// The connection was lost before the response was complete.
    case connectionLost(String)
    /// The certificate or the encryption was not acceptable.
    case untrusted(String)
    /// The exchange exceeded this time limit, in seconds.
    case timedOut(seconds: TimeInterval)
    /// The response began, but then no byte arrived for this many seconds.
    case stalled(seconds: TimeInterval)
    /// The response body exceeded this limit, in bytes.
    case tooLarge(limit: Int)
    /// The response could not be written to a file, for this reason.
    case unwritable(String)
    /// The response is not valid HTTP.
    case badReply(String)
    /// The request cannot be expressed in HTTP and was not sent.
    case unsendable(String)

    public var description: String {
        switch self {
        case .unreachable(let detail): "no connection could be made (\(detail))"
        case .connectionLost(let detail): "the connection was lost (\(detail))"
        case .untrusted(let detail): "the connection is not secure (\(detail))"
        case .timedOut(let seconds): "no reply within \(Self.words(seconds)) s"
        case .stalled(let seconds): "no data for \(Self.words(seconds)) s"
        case .tooLarge(let limit): "the reply is larger than \(limit) bytes"
        case .unwritable(let detail): "the reply could not be written to the file (\(detail))"
        case .badReply(let detail): "the reply is not valid HTTP (\(detail))"
        case .unsendable(let detail): "the request was not sent (\(detail))"
        }
    }

    private static func words(_ seconds: TimeInterval) -> String {
        Int(exactly: seconds).map(String.init) ?? "\(seconds)"
    }

    /// The number of seconds that stands for no time limit: clocks cannot count to infinity.
    static let longestTimeout: TimeInterval = 1e9
}
