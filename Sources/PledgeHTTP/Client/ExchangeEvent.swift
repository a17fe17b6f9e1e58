import Dispatch
import Foundation
import Pledge

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
        /// The service redirected the request to another URL of the same origin. The client requests that URL next.
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

/// The progress of one attempt: how many bytes of the request's body were sent, and how many bytes of the response's
/// body were received. Every retry starts from zero.
public struct TransferProgress: Sendable, Equatable {
    /// The number of bytes of the request's body that were sent.
    public var bytesSent: Int
    /// The size of the request's body, in bytes.
    public var bytesToSend: Int
    /// The number of bytes of the response's body that were received, after decompression.
    public var bytesReceived: Int
    /// The size of the response's body, in bytes; nil if the service does not announce it, or compresses the body.
    public var bytesToReceive: Int?

    /// Creates a progress for use in tests.
    public init(bytesSent: Int = 0, bytesToSend: Int = 0, bytesReceived: Int = 0, bytesToReceive: Int? = nil) {
        self.bytesSent = bytesSent
        self.bytesToSend = bytesToSend
        self.bytesReceived = bytesReceived
        self.bytesToReceive = bytesToReceive
    }
}

/// Reports progress on a queue of its own, so that a slow handler does not delay the transport. A slow handler does not
/// get every change; it gets only the latest progress.
final class TransferReporter: Sendable {
    private struct State {
        var progress: TransferProgress
        var isScheduled = false
    }

    let queue = DispatchQueue(label: "pledge.progress")
    private let handler: @Sendable (TransferProgress) -> Void
    private let state: Locked<State>

    init(bytesToSend: Int, _ handler: @escaping @Sendable (TransferProgress) -> Void) {
        self.handler = handler
        state = Locked(State(progress: TransferProgress(bytesToSend: bytesToSend)))
    }

    func update(_ change: (inout TransferProgress) -> Void) {
        let mustSchedule = state.withLock { state in
            change(&state.progress)
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        guard mustSchedule else { return }
        queue.async { [self] in
            let progress = state.withLock { state in
                state.isScheduled = false
                return state.progress
            }
            handler(progress)
        }
    }

    /// Records that a response has begun, and how large its body is according to its headers.
    func begin(_ headers: HeaderFields) {
        guard headers["Content-Encoding"] == nil else { return }
        let size = headers["Content-Length"].flatMap { Int($0) }
        update { $0.bytesToReceive = size }
    }
}
