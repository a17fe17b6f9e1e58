import Foundation
import Pledge

/// The kind of a failure. Programs can switch on it, and store its name as a code.
public enum FailureKind: String, CaseIterable, Sendable {
    /// An argument was invalid, and no request was sent.
    case invalidArgument
    /// 401: The token is unknown or has expired. This kind is also used if no request was sent because the token could
    /// not be renewed.
    case unauthorized
    /// 403 that announces no rate limit: The token does not permit the request.
    case forbidden
    /// 404: The requested item does not exist.
    case notFound
    /// 429, or a 403 that announces a rate limit: There were more requests than the service permits. This kind is also
    /// used if a request was not sent because it would have had to wait too long.
    case rateLimited
    /// Most other 4xx: The service did not accept the request.
    case rejected
    /// 408, 425, or 5xx: The service failed to process the request.
    case serviceFault
    /// 3xx: The service, or a server in front of it, redirected the request.
    case redirected
    /// The response does not match the service's documentation.
    case unreadable
    /// The call has used up the budget in the client's options.
    case overBudget
    /// No connection could be established, or it was lost.
    case unreachable
    /// The host could not prove its identity.
    case untrusted
    /// No response was received in time.
    case timedOut
    /// The call was canceled before it finished.
    case cancelled
    /// An error from another source, such as a token source.
    case other

    /// Whether the failure may be temporary.
    package var isPassing: Bool { [.unreachable, .timedOut, .serviceFault, .rateLimited].contains(self) }

    /// Determines the kind of any error. An ``ExchangeFailure`` has a kind of its own. Any other error is either a
    /// cancellation or `other`.
    package init(_ error: any Error) {
        self = (error as? any ExchangeFailure)?.kind ?? (error.isCancelled ? .cancelled : .other)
    }
}
