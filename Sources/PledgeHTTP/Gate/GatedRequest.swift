import Foundation
import Pledge

/// A request at a gate, from its first permit to the outcome that is its result.
///
/// The gate decides when it may be sent, and whether it is sent again: by the limits and retries of a single client, or
/// by the schedule of a batch.
package protocol GatedRequest: Sendable {
    /// Returns a promise that is fulfilled when the request may be sent, for the first time or again.
    ///
    /// - Parameter onWait: Called with the seconds of a wait for a limit, if the gate knows them, before it begins.
    /// - Rejects: With ``GateClosed``, with ``GateGaveUp`` if the request was sent before, or with a reason of the gate's
    ///   own.
    func permit(onWait: @escaping @Sendable (TimeInterval) -> Void) -> Promise<Void>

    /// Records the outcome and the duration of an attempt. Returns the seconds before which the request is not sent
    /// again; nil if that is its result.
    func record(_ attempt: Attempt, _ sent: SentRequest, seconds: TimeInterval) -> TimeInterval?
}

/// A wait of a call before it sends a request, in seconds.
package struct RequestWait: Sendable {
    package enum Reason: Sendable, Equatable {
        /// The service, or the client's own limiter, permits no request before.
        case limit
        /// The last attempt was answered with this status code, and is repeated.
        case status(Int)
        /// The last attempt had no response, and is repeated.
        case noResponse
    }

    package var seconds: TimeInterval
    package var reason: Reason

    package init(seconds: TimeInterval, reason: Reason) { (self.seconds, self.reason) = (seconds, reason) }
}

/// A request as sent, and what became of it.
package struct SentRequest: Sendable {
    package var request: OutgoingRequest
    package var outcome: Result<RawResponse, any Error>
    /// Its token, if that can be renewed.
    var credential: SentCredential?

    package var response: RawResponse? { try? outcome.get() }
}

/// The error of a request that would have to wait for a limit longer than is allowed.
package struct GateClosed: Error {
    package var seconds: TimeInterval

    package init(seconds: TimeInterval) { self.seconds = seconds }
}

/// The error of a request that is not sent again after all: the outcome of its last attempt is its result.
package struct GateGaveUp: Error {
    package init() {}
}
