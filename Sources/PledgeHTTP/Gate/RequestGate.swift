import Foundation
import Pledge

/// The gate of one request, which the request has to pass before each of its attempts.
///
/// The gate decides when the request may be sent, and whether it is sent again. For a single client, the gate follows
/// the client's limiter and retry rule. In a batch, it follows the schedule of the batch.
package protocol RequestGate: Sendable {
    /// Waits until the request may be sent.
    ///
    /// - Parameters:
    ///   - pause: The pause that ``record(_:_:seconds:)`` returned for the previous attempt; nil if the request is not
    ///     a retry. The gate waits for the pause first.
    ///   - onWait: Called before a wait for a limit, with the number of seconds, if the gate knows it.
    /// - Rejects: With ``GateClosed`` if the request would have to wait too long for a limit; with ``GateGaveUp`` if
    ///   the request was sent before and is not sent again; or with another error of the gate.
    func permit(after pause: RetryPause?, onWait: @escaping @Sendable (TimeInterval) -> Void) -> Promise<Void>

    /// Records the outcome and the duration of an attempt, and decides whether the request is sent again.
    ///
    /// - Returns: The pause before the next attempt; nil if the outcome is the request's result.
    func record(_ attempt: AttemptOutcome, _ sent: SentRequest, seconds: TimeInterval) -> RetryPause?
}

/// The pause before a request is sent again.
package struct RetryPause: Sendable, Equatable {
    /// The number of seconds; 0 if it is not known how long the pause will be.
    package var seconds: TimeInterval
    /// Whether a rate limit is the reason for the pause.
    package var isForLimit: Bool

    package init(seconds: TimeInterval, isForLimit: Bool = false) {
        self.seconds = seconds
        self.isForLimit = isForLimit
    }
}

/// A wait before a request is sent: how long it takes, in seconds, and why.
package struct RequestWait: Sendable {
    /// The shortest wait that is announced, in seconds.
    package static let shortestAnnounced = 5.0

    package enum Reason: Sendable, Equatable {
        /// The service, or the client's own limiter, permits no request until the end of the wait.
        case limit
        /// The service answered the last attempt with this status code, and the request is repeated.
        case status(Int)
        /// The last attempt had no response, and the request is repeated.
        case noResponse
        /// The client has waited for a token for this many seconds. The wait may take longer.
        case token
    }

    package var seconds: TimeInterval
    package var reason: Reason

    package init(seconds: TimeInterval, reason: Reason) { (self.seconds, self.reason) = (seconds, reason) }
}

/// A request that was sent, and the response or the transport's error.
package struct SentRequest: Sendable {
    package var request: OutgoingRequest
    package var result: Result<RawResponse, any Error>
    /// The time of the outcome, according to the client's clock.
    var date: Date
    /// The rate limit that the response announces.
    var announced: RateLimit?
    /// The request's token, if the token can be renewed.
    var credential: SentCredential?

    package var response: RawResponse? { try? result.get() }
}

/// The error of a request that would have to wait too long: a limit holds the request back for longer than the request
/// may wait.
package struct GateClosed: Error {
    package var seconds: TimeInterval

    package init(seconds: TimeInterval) { self.seconds = seconds }
}

/// The error of a request that waited for another attempt, but is not sent again. The outcome of the last attempt is
/// then the request's result.
package struct GateGaveUp: Error {
    package init() {}
}
