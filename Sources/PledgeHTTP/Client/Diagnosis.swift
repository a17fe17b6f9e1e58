import Pledge

/// What a failure means: the only table of statuses and other reasons. Modules above this one replace its texts only.
package struct Diagnosis: Sendable {
    package let kind: FailureKind
    /// The outcome as the limits, the retries, and the health of a service count it.
    package let outcome: Attempt.Outcome
    /// What to do next; nil if the reason already includes it.
    let advice: String?

    private init(_ kind: FailureKind, _ outcome: Attempt.Outcome, _ advice: String? = nil) {
        (self.kind, self.outcome, self.advice) = (kind, outcome, advice)
    }

    /// - Parameters:
    ///   - announced: The rate limit that the response announces.
    ///   - seconds: The seconds to wait that the response specifies.
    package init(_ reason: ExchangeError.Reason, _ announced: RateLimit? = nil, asking seconds: Double? = nil) {
        switch reason {
        // Some services, such as GitHub, refuse with 403 what others refuse with 429.
        case .status(403, _) where announced?.remaining == 0 || seconds != nil: self.init(status: 429)
        case .status(let code, _): self.init(status: code)
        case .transport(let error): self.init(error)
        case .badRequest: self.init(.invalidArgument, .unclear)
        case .credential(let error as CredentialError): self.init(error)
        // What prevented a renewal: perhaps the token's endpoint cannot be reached, which may pass.
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

    /// The statuses after which another attempt may help.
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
            self.init(.unreachable, .fault, "Try again; for a write, first check whether it was done.")
        case .untrusted:
            self.init(.untrusted, .unclear, "Check the URL: another server may be posing as the service.")
        case .timedOut, .stalled: self.init(.timedOut, .fault, Self.adviceOnTime)
        case .tooLarge: self.init(.unreadable, .unclear, "Request less data, or raise the limit.")
        case .unwritable: self.init(.other, .unclear, "Check the folder, and how much room there is.")
        case .badResponse: self.init(.unreadable, .garbled, "Check the URL.")
        case .unsendable: self.init(.invalidArgument, .unclear, "Correct the request.")
        }
    }
}

/// The kind of a failure, to switch on. The names are codes for programs.
public enum FailureKind: String, CaseIterable, Sendable {
    /// An argument was invalid, and no request was sent.
    case invalidArgument
    /// 401: The token is unknown or has expired. Also if it cannot be renewed, so that no request was sent.
    case unauthorized
    /// 403 that announces no rate limit: The token does not permit the request.
    case forbidden
    /// 404: The requested item does not exist.
    case notFound
    /// 429, or a 403 that announces a rate limit: There were more requests than the service permits. Or the next one
    /// would have to wait too long.
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

    /// What any error means, as far as this module knows it.
    package init(_ error: any Error) {
        self =
            switch error {
            case is RepeatedPages: .unreadable
            default: error.exchangeError?.kind ?? (error.isCancelled ? .cancelled : .other)
            }
    }
}
