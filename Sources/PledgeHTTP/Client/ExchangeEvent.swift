import Foundation

/// Something that happened on the way to a reply, for a log or for measuring. It holds no token, query or body.
public struct ExchangeEvent: Sendable, CustomStringConvertible {
    /// What can happen in an exchange.
    public enum Kind: Sendable {
        /// A request went out.
        case sent
        /// A reply came, with this status and size.
        case received(status: Int, bytes: Int)
        /// No reply came, for this reason.
        case failed(TransportError)
        /// Nothing happens for so many seconds, before the next attempt.
        case waiting(seconds: TimeInterval)
        /// The service refused the token, and another is being asked for.
        case renewingToken
        /// The service pointed to another address of its own, which is asked next.
        case redirected(to: String)
    }

    /// What happened in the exchange.
    public let kind: Kind
    /// The method and address of what was asked.
    public let context: RequestContext
    /// Which attempt it was, from 1.
    public let attempt: Int
    /// When it happened, by the client's clock.
    public let date: Date

    /// A line for a log.
    public var description: String {
        let what =
            switch kind {
            case .sent: "sent"
            case .received(let status, let bytes): "answered \(status) with \(bytes) bytes"
            case .failed(let error): "failed: \(error)"
            case .waiting(let seconds): "waiting \(seconds) s"
            case .renewingToken: "asking for another token"
            case .redirected(let address): "redirected to \(address)"
            }
        return "\(context.method) \(context.url), attempt \(attempt): \(what)"
    }
}
