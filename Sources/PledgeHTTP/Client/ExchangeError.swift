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
    /// The size of the largest body that an error keeps, in bytes. A batch may hold thousands of errors in memory.
    static let largestKeptBody = 64 << 10

    /// The reasons an exchange can fail.
    public enum Reason: Sendable {
        /// The request was not sent, for the given reason.
        case badRequest(String)
        /// There was no valid token to send.
        case credential(any Error)
        /// No complete response was received.
        case transport(TransportError)
        /// The service responded with this failure status code. See ``ExchangeError/message`` for its message.
        case status(Int)
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
    /// The service's message, verbatim, or “…” if the message repeats a secret. The description includes the message as
    /// one line. If no token could be obtained, this is the message of the token endpoint.
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
    }

    /// The kind of failure that the reason stands for.
    public var kind: FailureKind { Diagnosis(reason, rateLimit, asking: retryAfter).kind }

    /// The status code of the response, if there was one. An error with any reason may have a status code. For example,
    /// it has one if the response could not be decoded, or if the endpoint's closure threw an error of its own.
    public var status: Int? {
        if case .status(let code) = reason { code } else { response?.status }
    }
}

/// An error with a kind: an ``ExchangeError``, or an error of a module that is built on this one.
package protocol ExchangeFailure: Error {
    /// The kind of the failure, on which programs can switch.
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
        let said = if case .status = reason { ServiceMessage.clause(message) } else { "" }
        let text = "\(context.method) \(context.url) failed\(tries)\(before): \(reason)\(said)\(wait)"
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
        // If the wait is longer than a day, its exact end is not worth printing. Some services ask for decades by
        // mistake.
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
        case .status(let code): "the service answered \(code)"
        case .unreadable(let problem): "\(problem)"
        case .cancelled: "it was cancelled"
        case .other(let error): Secrets.text(of: error)
        }
    }
}

/// The reason why a response could not be decoded.
public enum UnreadableResponse: Error, Equatable, Sendable, CustomStringConvertible {
    /// The response has no content.
    case empty
    /// The response is a web page. Proxies return web pages, and so do wrong URLs.
    case html
    /// The response is not JSON in UTF-8, or was truncated.
    case notJSON
    /// The JSON does not have the expected structure, at this path and for this reason.
    case unexpected(path: String, problem: String)

    public var description: String {
        switch self {
        case .empty: "the response has no content"
        case .html: "the response is a web page instead of JSON"
        case .notJSON: "the response is not JSON, or was cut off"
        case .unexpected(let path, let problem):
            "the response's \(path.isEmpty ? "top level" : path) is unexpected: \(problem)"
        }
    }

    init(_ problem: JSONTape.Problem) {
        switch problem {
        case .notJSON: self = .notJSON
        case .deeper(let depth):
            self = .unexpected(path: "", problem: "it is nested deeper than \(depth) lists and objects")
        case .longer(let count): self = .unexpected(path: "", problem: "it is longer than \(count) bytes")
        }
    }

    /// Creates the reason from a decoder's error. The error is about the content of the JSON, because a decoder
    /// receives only valid JSON.
    package init(_ error: DecodingError) {
        switch error {
        case .dataCorrupted(let context), .typeMismatch(_, let context), .valueNotFound(_, let context):
            self = .unexpected(
                path: pathText(context.codingPath),
                problem: context.debugDescription.hasSuffix(".")
                    ? String(context.debugDescription.dropLast()) : context.debugDescription)
        case .keyNotFound(let key, let context):
            // Foundation's text is about the key's type, so it is not used.
            let words = context.debugDescription
            self = .unexpected(
                path: pathText(context.codingPath),
                problem: words.contains(" is missing") ? words : "\(key.stringValue) is missing")
        @unknown default:
            self = .unexpected(path: "", problem: "it could not be decoded")
        }
    }
}
