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
    /// It began, but then for this many seconds no byte came.
    case stalled(seconds: TimeInterval)
    /// The reply was larger than this many bytes.
    case tooLarge(limit: Int)
    /// What came back is not HTTP.
    case badReply(String)
    /// The request cannot be put into HTTP, so it was not sent.
    case unsendable(String)

    public var description: String {
        switch self {
        case .unreachable(let detail): "no connection could be made (\(detail))"
        case .connectionLost(let detail): "the connection was lost (\(detail))"
        case .untrusted(let detail): "the connection is not secure (\(detail))"
        case .timedOut(let seconds): "no reply within \(Self.words(seconds)) s"
        case .stalled(let seconds): "nothing came for \(Self.words(seconds)) s"
        case .tooLarge(let limit): "the reply is larger than \(limit) bytes"
        case .badReply(let detail): "the reply is not valid HTTP (\(detail))"
        case .unsendable(let detail): "the request was not sent (\(detail))"
        }
    }

    private static func words(_ seconds: TimeInterval) -> String {
        Int(exactly: seconds).map(String.init) ?? "\(seconds)"
    }

    /// Seconds that stand for "no end": clocks cannot count to infinity.
    static let longestTimeout: TimeInterval = 1e9
}
