import Foundation
import Pledge
import PledgeCoding

/// The method and URL of a request, in printable form.
public struct RequestContext: Sendable, Equatable {
    /// The HTTP method of the request.
    public var method: HTTPMethod
    /// The URL without query, user, and password.
    public var url: String

    package init(method: HTTPMethod, url: String) {
        self.method = method
        self.url = url
    }
}

/// The error of a failed call: the reason, the request, and the response, if there was one.
///
/// The error prints as a sentence, followed by a sentence that says what to do next. It contains no token, query, or
/// body.
public struct ExchangeError: Error, Sendable {
    /// The reasons an exchange can fail.
    public enum Reason: Sendable {
        /// The request was not sent, for the given reason.
        case badRequest(String)
        /// There was no valid token to send.
        case credential(any Error)
        /// No complete response was received.
        case transport(TransportError)
        /// The service responded with a failure status code, and possibly a message.
        case status(Int, message: String?)
        /// The request was not sent, because a limit permits no request for this many seconds. That is longer than the
        /// call may wait according to its retry rule, or to the rules of its batch.
        case limited(seconds: TimeInterval)
        /// The request was not sent, because the call has used up its budget.
        case overBudget(BudgetExceeded)
        /// The service redirected the request, and the client did not follow. It follows a redirect only for a GET, and
        /// only within the same origin.
        case redirected(to: String?)
        /// The response was not what the endpoint expects.
        case unreadable(UnreadableResponse)
        /// The call was canceled before it finished.
        case cancelled
        /// Another error, such as one thrown while decoding the response.
        case other(any Error)
    }

    /// The reason the exchange failed.
    public var reason: Reason
    /// The method and URL of the request.
    public var context: RequestContext
    /// The response, if there was one, without the secrets of the request. Its URL has no query. In place of a header
    /// or a text that repeats a secret, there is “…”. A body of more than 64 KiB is left out. The body is never
    /// printed.
    ///
    /// ```swift
    /// let problem = try? error.response?.json(Problem.self)   // what this service says of an error
    /// ```
    public internal(set) var response: RawResponse?
    /// The rate limit that the response announces.
    public var rateLimit: RateLimit?
    /// The number of seconds that the service asks the client to wait before the next request; nil if the service does
    /// not ask for a wait.
    public var retryAfter: TimeInterval?
    /// The time at which the wait of ``retryAfter`` ends, according to the client's clock; nil if the service does not
    /// specify a wait.
    public var retryDate: Date?
    /// The number of times that the request was sent; 0 if the call failed before it sent the request.
    public var attempts: Int
    /// The number of pages of a list that were received before the one that failed.
    public internal(set) var pagesBefore = 0
    /// The number of items on the pages before the one that failed.
    public internal(set) var itemsBefore = 0
    /// A sentence of advice on what to do next; nil if the reason already includes it.
    public internal(set) var advice: String?
    /// The service's message, verbatim, or “…” if the message repeats a secret. The reason includes the message as one
    /// line. If no token could be obtained, this is the message of the token endpoint.
    public let message: String?

    /// - Parameter secrets: The secrets of the request. No text from the service or another source may contain them.
    init(
        _ reason: Reason, context: RequestContext, response: RawResponse? = nil, rateLimit: RateLimit? = nil,
        retryAfter: (seconds: TimeInterval, now: Date)? = nil, attempts: Int = 0, message: String? = nil,
        hiding secrets: Secrets = .none
    ) {
        self.reason = secrets.hide(reason)
        self.context = context
        self.response = response.map { secrets.hide($0, of: context) }
        self.rateLimit = rateLimit
        self.retryAfter = retryAfter?.seconds
        retryDate = retryAfter.map { $0.now.addingTimeInterval($0.seconds) }
        self.attempts = attempts
        self.message =
            switch reason {
            case .credential(let error as ExchangeError): error.message
            case .credential(CredentialError.renewalRefused(let message)): message
            default: message.map(secrets.hide)
            }
        advice = Diagnosis(reason, rateLimit, asking: self.retryAfter).advice
        if case .status(let code, nil) = reason {
            self.reason = .status(code, message: self.message.flatMap(ServiceMessage.line))
        }
    }

    /// The kind of failure that the reason stands for.
    public var kind: FailureKind { Diagnosis(reason, rateLimit, asking: retryAfter).kind }

    /// The status code of the response, if there was one. An error of any reason may have one: for example, the
    /// response could not be decoded, or the endpoint's closure threw an error of its own.
    public var status: Int? {
        if case .status(let code, _) = reason { code } else { response?.status }
    }
}

/// An error with a kind: an ``ExchangeError``, or an error of a module that is built on this one.
package protocol ExchangeFailure: Error {
    /// The kind of the failure, as this module distinguishes failures.
    var kind: FailureKind { get }
    /// The error of the exchange that failed; nil if no request was sent.
    var exchange: ExchangeError? { get }
    /// The status code of the response; nil if there was none.
    var status: Int? { get }
}

extension ExchangeFailure {
    package var exchange: ExchangeError? { nil }
    package var status: Int? { exchange?.status }
}

extension ExchangeError: ExchangeFailure {
    package var exchange: ExchangeError? { self }
}

extension Error {
    /// The error of the exchange that failed, even if it is inside a kit's error; nil if there was none.
    package var exchangeError: ExchangeError? { (self as? any ExchangeFailure)?.exchange }

    /// The kind and the status code of a failed call. Both are the same regardless of which kit threw the error.
    package var failureKind: FailureKind { FailureKind(self) }
    package var failureStatus: Int? { (self as? any ExchangeFailure)?.status }

    /// Whether the service works, and refused only this request.
    package var isRefusal: Bool { [.forbidden, .notFound, .rejected].contains(failureKind) && !lacksToken }

    /// Whether there was no token to send. Without a token, no request can succeed.
    package var lacksToken: Bool {
        if case .credential? = exchangeError?.reason { true } else { false }
    }
}

extension ExchangeError: CancellableError {
    public var isCancelled: Bool { kind == .cancelled }
}

extension ExchangeError: Redacted, LocalizedError {
    /// A description that says what failed, where, and why, and what to do next.
    public var description: String { advice.map { "\(sentence) \($0)" } ?? sentence }

    /// A sentence that says what failed, where, and why. Kits add their own advice to it.
    package var sentence: String {
        let tries = attempts > 1 ? " after \(attempts) attempts" : ""
        let text = "\(context.method) \(context.url) failed\(tries)\(before): \(reason)\(wait)"
        // An error from elsewhere, such as from a token source, may have a description that already ends in a period.
        return text.hasSuffix(".") ? text : "\(text)."
    }

    /// A clause with the number of pages and items that were received before the failure.
    private var before: String {
        pagesBefore == 0
            ? "" : " (\(itemsBefore) items on \(pagesBefore) \(pagesBefore == 1 ? "page" : "pages") were read before)"
    }

    /// Returns a wait in whole seconds, rounded up, so that the wait has certainly ended after that time.
    package static func whole(_ seconds: TimeInterval) -> Int {
        seconds > 0 ? Int(min(seconds, 1e9).rounded(.up)) : 0
    }

    /// A clause with the wait that the service asks for, and the time at which the wait ends.
    private var wait: String {
        guard let retryAfter, retryAfter > 0 else { return "" }
        // The end of such a long wait is not worth printing. Some services ask for decades by mistake.
        if retryAfter > 86_400 {
            if case .status = reason { return ", and asks for a wait of more than a day" }
            return ""
        }
        // The time is rounded up to a whole second, because a request before the end of the wait would be refused.
        let time = retryDate.map {
            ", until \(Timestamp.text(Date(timeIntervalSince1970: $0.timeIntervalSince1970.rounded(.up))))"
        }
        switch reason {
        case .status: return ", and asks for a wait of \(ExchangeError.whole(retryAfter)) s\(time ?? "")"
        case .limited: return time ?? ""
        default: return ""
        }
    }

    public var errorDescription: String? { description }
}

extension ExchangeError.Reason: Redacted {
    public var description: String {
        switch self {
        case .badRequest(let problem): problem
        case .credential(let error): "\(error)"
        case .limited(let seconds) where seconds > 86_400: "the service permits no request for more than a day"
        case .limited(let seconds): "the service permits no request for another \(ExchangeError.whole(seconds)) s"
        case .overBudget(let error): "\(error)"
        case .redirected(let target?):
            "the service redirects to \(ServiceMessage.printable(target)), which this request does not follow"
        case .redirected(nil): "the service redirects without a location"
        case .transport(let error): "\(error)"
        case .status(let code, let message): "the service answered \(code)" + (message.map { ", saying “\($0)”" } ?? "")
        case .unreadable(let problem): "\(problem)"
        case .cancelled: "it was cancelled"
        case .other(let error): "\(error)"
        }
    }
}

/// What a failure means: its kind, its effect on later requests, and the advice for the user.
///
/// This is the only place that assigns a meaning to status codes and other reasons. Modules that use this module may
/// replace only the texts.
package struct Diagnosis: Sendable {
    package let kind: FailureKind
    /// The outcome of the attempt, which determines how limits, retries, and the health of a service take it into
    /// account.
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
        case .status(403, _) where announced?.remaining == 0 || seconds != nil: self.init(status: 429)
        case .status(let code, _): self.init(status: code)
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

/// The outcome of one attempt to send a request. Limits, retries, and the health of a service depend on it.
package struct AttemptOutcome: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// The service has responded to the request. The response may report a success or a failure, but the service
        /// works.
        case answered
        /// A 429, or a 403 that announces a limit. The service has not processed the request.
        case limited
        /// A lost connection, a missing response, or a fault of the service.
        case fault
        /// No connection could be made. The request did not cause this, and has not reached the service.
        case unsent
        /// A response that cannot have come from the service: a truncated body or a web page.
        case garbled
        /// An outcome that says nothing about the service's health, such as an untrusted certificate.
        case unclear
    }

    package var kind: Kind
    /// The status code of a response that reports a failure.
    package var status: Int?
    /// The number of seconds that a response that reports a failure asks the client to wait.
    package var requestedWait: Double?
    /// The seconds during which the service permits no further requests with the token.
    package var closes: Double?

    /// Whether the service has processed the request. If so, the service probably permits other requests with the token
    /// as well.
    package var hasQuotaLeft: Bool {
        switch kind {
        case .answered: true
        case .fault: status != nil
        case .limited, .unsent, .garbled, .unclear: false
        }
    }

    package init(_ kind: Kind, asking seconds: Double? = nil, closes: Double? = nil) {
        self.kind = kind
        requestedWait = seconds
        self.closes = closes
    }

    /// - Parameters:
    ///   - problem: The reason why the response is not the result of the call; nil if it is the result.
    ///   - announced: The rate limit that the response announces.
    init(_ response: RawResponse?, _ problem: ExchangeError.Reason?, _ announced: RateLimit? = nil, now: Date) {
        let seconds = response.flatMap { RetryAfter.seconds(in: $0, announced, now: now) }
        kind = problem.map { Diagnosis($0, announced, asking: seconds).attempt } ?? .answered
        guard let response else { return }
        closes = announced?.remaining == 0 ? announced?.resetsAt?.timeIntervalSince(now) : nil
        if case .status = problem { (status, requestedWait) = (response.status, seconds) }
        switch kind {
        case .answered, .unsent, .limited, .fault: break
        // With these status codes, the service states that the response has no content.
        case .garbled: if response.status == 204 || response.status == 205 { kind = .answered }
        // The response came from the service, even if something is wrong with it.
        case .unclear: kind = .answered
        }
    }
}
