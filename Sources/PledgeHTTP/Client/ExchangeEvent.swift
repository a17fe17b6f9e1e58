import Foundation

/// An event of an exchange, for logs and measurements. It contains no token, query, or body.
public struct ExchangeEvent: Sendable, CustomStringConvertible {
    /// The kinds of event in an exchange.
    public enum Kind: Sendable {
        /// A request was sent to the service.
        case sent
        /// A response was received, with this status code and body size.
        case received(status: Int, bytes: Int)
        /// No response was received, for this reason.
        case failed(TransportError)
        /// The client waits for this many seconds before the next attempt.
        case waiting(seconds: TimeInterval)
        /// The service refused the token, and a new one is requested.
        case renewingToken
        /// The service redirected to another URL of the same origin, which is requested next.
        case redirected(to: String)
    }

    /// The kind of the event.
    public let kind: Kind
    /// The method and URL of the request.
    public let context: RequestContext
    /// The number of the attempt, starting at 1.
    public let attempt: Int
    /// The time of the event, according to the client's clock.
    public let date: Date

    /// The event as a log line.
    public var description: String {
        let what =
            switch kind {
            case .sent: "sent"
            case .received(let status, let bytes): "answered \(status) with \(bytes) bytes"
            case .failed(let error): "failed: \(error)"
            case .waiting(let seconds): "waiting \(seconds) s"
            case .renewingToken: "requesting another token"
            case .redirected(let address): "redirected to \(address)"
            }
        return "\(context.method) \(context.url), attempt \(attempt): \(what)"
    }
}
