import Foundation
import Pledge

/// What carries requests: the seam for fakes, other HTTP clients, and recording.
public protocol HTTPTransport: Sendable {
    /// Sends a request once, follows no redirect, and keeps nothing between calls.
    ///
    /// - Rejects: with ``TransportError``. A status like 404 or 500 is a reply, not an error.
    /// - Cancellation: closes the exchange.
    func send(_ request: OutgoingRequest) -> Promise<HTTPReply>
}

/// Why no reply came back.
public enum TransportError: Error, Sendable, Equatable, CustomStringConvertible {
    /// No connection could be made.
    case unreachable(String)
    /// The connection ended before the reply did.
    case connectionLost(String)
    /// The certificate, or the encryption, was not acceptable.
    case untrusted(String)
    /// It took longer than this many seconds.
    case timedOut(seconds: TimeInterval)
    /// The reply was larger than this many bytes.
    case tooLarge(limit: Int)
    /// What came back is not HTTP.
    case badReply(String)

    /// A clause.
    public var description: String {
        switch self {
        case .unreachable(let detail): "no connection could be made (\(detail))"
        case .connectionLost(let detail): "the connection was lost (\(detail))"
        case .untrusted(let detail): "the connection is not secure (\(detail))"
        case .timedOut(let seconds):
            "no reply within \(seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)") s"
        case .tooLarge(let limit): "the reply is larger than \(limit) bytes"
        case .badReply(let detail): "the reply is not valid HTTP (\(detail))"
        }
    }
}
