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
        /// The service redirected the request. Only a GET follows a redirect, and only within the same origin.
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
    /// The response, if there was one, without the secrets of the request. Its URL has no query. A header or a text
    /// that repeats a secret is “…”, and a body of more than 64 KiB is left out. The body is never printed.
    ///
    /// ```swift
    /// let problem = try? error.response?.json(Problem.self)   // what this service says of an error
    /// ```
    public internal(set) var response: RawResponse?
    /// The rate limit that the response announces.
    public var rateLimit: RateLimit?
    /// The number of seconds that the service asks the client to wait before the next request; nil if it does not
    /// specify that.
    public var retryAfter: TimeInterval?
    /// The time at which this wait ends, according to the client's clock; nil if the service does not specify a wait.
    public var retryDate: Date?
    /// The number of times the request was sent; 0 if it failed before that.
    public var attempts: Int
    /// The number of pages of a list that were received before the one that failed.
    public internal(set) var pagesBefore = 0
    /// The number of items on the pages before the one that failed.
    public internal(set) var itemsBefore = 0
    /// A sentence of advice on what to do next; nil if the reason already includes it.
    public internal(set) var advice: String?
    /// The service's message, verbatim, or “…” if it repeats a secret. The reason includes the message as one line. If
    /// no token could be obtained, this is the token endpoint's message.
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

    /// The status code of the response, if there was one. It doesn't depend on the reason: for example, the response
    /// may not have been decodable, or the endpoint's closure may have thrown an error of its own.
    public var status: Int? {
        if case .status(let code, _) = reason { code } else { response?.status }
    }
}

/// An error of a kit, which may be about an exchange.
package protocol ExchangeFailure: Error {
    /// The error of the exchange; nil if no request was sent.
    var exchange: ExchangeError? { get }
}

extension Error {
    /// The error of the exchange that failed, even if it is inside a kit's error; nil if there was none.
    package var exchangeError: ExchangeError? { self as? ExchangeError ?? (self as? any ExchangeFailure)?.exchange }
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
        // The error of another source, such as a token source, may have a description that already ends in a period.
        return text.hasSuffix(".") ? text : "\(text)."
    }

    /// A clause with the number of pages and items that were received before the failure.
    private var before: String {
        pagesBefore == 0
            ? "" : " (\(itemsBefore) items on \(pagesBefore) \(pagesBefore == 1 ? "page" : "pages") were read before)"
    }

    /// Returns the number of whole seconds after which a wait has ended.
    package static func whole(_ seconds: TimeInterval) -> Int {
        seconds > 0 ? Int(min(seconds, 1e9).rounded(.up)) : 0
    }

    /// A clause with the wait that the service asks for, and the time at which the wait ends.
    private var wait: String {
        guard let retryAfter, retryAfter > 0 else { return "" }
        // If a service asks for a wait of decades, that is a mistake, and its end is not worth printing.
        if retryAfter > 86_400 {
            if case .status = reason { return ", and asks for a wait of more than a day" }
            return ""
        }
        // The time is rounded up to a whole second, because a request must not be too early.
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
