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

/// What a failure means: its kind, its effect on later requests, and the advice for the user.
///
/// This is the only place that assigns a meaning to status codes and other reasons. Modules that use this module may
/// replace only the texts.
package struct Diagnosis: Sendable {
    package let kind: FailureKind
    /// The outcome of the attempt. Limits, retries, and the health of a service depend on it.
    package let attempt: AttemptOutcome.Kind
    /// What to do next; nil if the reason already includes it.
    let advice: String?

    private init(_ kind: FailureKind, _ attempt: AttemptOutcome.Kind, _ advice: String? = nil) {
        self.kind = kind
        self.attempt = attempt
        self.advice = advice
    }

    /// - Parameters:
    ///   - announced: The rate limit that the response announces.
    ///   - seconds: The number of seconds to wait, if the response specifies one.
    package init(_ reason: ExchangeError.Reason, _ announced: RateLimit? = nil, asking seconds: Double? = nil) {
        switch reason {
        // Some services, such as GitHub, send a 403 where other services send a 429.
        case .status(403) where announced?.remaining == 0 || seconds != nil: self.init(status: 429)
        case .status(let code): self.init(status: code)
        case .transport(let error): self.init(error)
        case .badRequest: self.init(.invalidArgument, .unclear)
        case .credential(let error as CredentialError): self.init(error)
        // The token could not be renewed. Perhaps the token endpoint cannot be reached, which may be temporary.
        case .credential(let error): self.init(FailureKind(error), .unclear)
        case .limited:
            self.init(.rateLimited, .limited, "Try again then, or raise “longestWait”.")
        case .overBudget(let error):
            self.init(
                .overBudget, .unclear,
                "Request less, or raise “\(error.limit.rawValue)” in the budget of the client's options.")
        case .redirected: self.init(.redirected, .answered, "Check the base URL.")
        case .unreadable(.unexpected): self.init(.unreadable, .answered, Self.adviceOnReading)
        case .unreadable(.empty), .unreadable(.html), .unreadable(.notJSON):
            self.init(.unreadable, .garbled, Self.adviceOnReading)
        case .cancelled: self.init(.cancelled, .unclear)
        case .other: self.init(.other, .unclear)
        }
    }

    private init(_ error: CredentialError) {
        switch error {
        case .sourceIsGone, .malformed: self.init(.invalidArgument, .unclear)
        case .signInNeeded: self.init(.unauthorized, .unclear)
        case .renewalRefused: self.init(.unauthorized, .unclear, "Let the user sign in again.")
        }
    }

    package static let adviceOnReading = "Check the base URL; if it is right, the service may have changed."

    package static let adviceOnTime = "Try again, or allow more time."

    /// The status codes after which another attempt may succeed.
    package static let passingStatuses = Set((400...999).filter { Diagnosis(status: $0).kind.isPassing })

    package init(status: Int) {
        switch status {
        case 300..<400: self.init(.redirected, .answered)
        case 401: self.init(.unauthorized, .answered, "Check the token.")
        case 403: self.init(.forbidden, .answered, "Check the token's permissions.")
        case 404: self.init(.notFound, .answered, "Check the URL, and that the item exists.")
        case 429:
            self.init(.rateLimited, .limited, "Wait before the next request, and consider a rate limiter.")
        case 408, 425, 500...: self.init(.serviceFault, .fault, "Try again later.")
        default: self.init(.rejected, .answered)
        }
    }

    private init(_ error: TransportError) {
        switch error {
        case .unreachable:
            self.init(.unreachable, .unsent, "Check the network and the URL.")
        case .connectionLost:
            self.init(.unreachable, .fault, "Try again; before you repeat a write, check whether it took effect.")
        case .untrusted:
            self.init(.untrusted, .unclear, "Check the URL: another server may be posing as the service.")
        case .timedOut, .stalled: self.init(.timedOut, .fault, Self.adviceOnTime)
        case .tooLarge: self.init(.unreadable, .unclear, "Request less data, or raise the limit.")
        case .unwritable: self.init(.other, .unclear, "Check the folder, and the free space on its disk.")
        case .badResponse: self.init(.unreadable, .garbled, "Check the URL.")
        case .unsendable: self.init(.invalidArgument, .unclear, "Correct the request.")
        }
    }
}
