import Foundation
import Pledge
import PledgeHTTP

/// The error of a failed call to MyDataHelps. Promises reject with it, async functions throw it, and completion
/// handlers receive it. No call fails with another type of error.
///
/// The description states what failed, where, why, and what to do next. It contains no token, no query, and no values.
/// The underlying errors are for logs, and not for participants.
///
/// The cases are those of the official SDK. A failure for which the SDK has no case is ``unknown(_:)``. To recognize
/// some of these failures, use ``isCancelled``, ``isOffline``, and ``isMissingAccessToken``.
public enum MyDataHelpsError: Error, Sendable {
    /// The request could not be encoded, and was not sent.
    case encodingError(any Error)
    /// The request succeeded, but the response does not match the service's documentation.
    case decodingError(any Error)
    /// No response arrived within the time limit.
    case timedOut((any Error)?)
    /// The access token is not valid, or is no longer valid.
    case unauthorizedRequest(HTTPResponseError)
    /// The service refused the request because its rate limit is exceeded. The first associated value contains the date
    /// on which the limit resets. A refusal that doesn't announce this date is a ``serverError(_:)``. If the client's own
    /// limiter didn't send a request, the error is ``unknown(_:)``.
    case tooManyRequests(APIRateLimit, HTTPResponseError)
    /// The service responded with an error status.
    case serverError(HTTPResponseError)
    /// There is no survey with this name.
    case invalidSurvey
    /// The page of a survey could not be displayed.
    case webContentError((any Error)?)
    /// Any other error, such as one from a token source.
    case unknown((any Error)?)

    /// Creates an error from any other error. A `MyDataHelpsError` remains as it is.
    public init(_ error: any Error) {
        switch error {
        case let error as MyDataHelpsError: self = error
        case let error as ExchangeError: self.init(exchange: error)
        case is RepeatedPages: self = .decodingError(error)
        case PromiseError.timedOut, URLError.timedOut: self = .timedOut(error)
        default: self = .unknown(error)
        }
    }

    private init(exchange error: ExchangeError) {
        switch (error.kind, error.reason) {
        case (_, .credential): self = .unknown(error)
        case (.unauthorized, .status(let code)):
            self = .unauthorizedRequest(HTTPResponseError(statusCode: code, error))
        case (.timedOut, _): self = .timedOut(error)
        case (.rateLimited, .status(let code)):
            // The status is 429, or 403 with an announcement of the rate limit.
            let response = HTTPResponseError(statusCode: code, error)
            self = APIRateLimit(error.rateLimit).map { .tooManyRequests($0, response) } ?? .serverError(response)
        case (_, .status(let code)): self = .serverError(HTTPResponseError(statusCode: code, error))
        case (_, .badRequest): self = .encodingError(error)
        case (_, .unreadable): self = .decodingError(error)
        default: self = .unknown(error)
        }
    }
}

extension MyDataHelpsError: ExchangeFailure {
    package var exchange: ExchangeError? { underlyingError as? ExchangeError }

    package var kind: FailureKind {
        switch self {
        case .timedOut: .timedOut
        case .encodingError(is FailureReason): .invalidArgument
        default: (underlyingError as? HTTPResponseError)?.kind ?? underlyingError?.failureKind ?? .other
        }
    }

    package var status: Int? { (underlyingError as? HTTPResponseError)?.statusCode ?? exchange?.status }
}

extension MyDataHelpsError: CancellableError {
    /// The underlying error; nil if there is none.
    public var underlyingError: (any Error)? {
        switch self {
        case .encodingError(let error), .decodingError(let error): error
        case .timedOut(let error), .webContentError(let error), .unknown(let error): error
        case .unauthorizedRequest(let error), .tooManyRequests(_, let error), .serverError(let error): error
        case .invalidSurvey: nil
        }
    }

    public var isCancelled: Bool { underlyingError?.isCancelled ?? false }

    /// Whether the connection could not be established, or was lost.
    public var isOffline: Bool { exchange?.kind == .unreachable }

    /// Whether there was no access token to send.
    public var isMissingAccessToken: Bool {
        if case .credential = exchange?.reason { return true }
        return underlyingError is CredentialError || underlyingError is AccessTokenError
    }
}

extension MyDataHelpsError: CustomStringConvertible, LocalizedError {
    /// A description of what failed, where, why, and what to do next.
    public var description: String {
        switch self {
        case _ where isCancelled: "The call was cancelled."
        case .encodingError(let error): Self.sentence(error, "The request was not sent")
        case .decodingError(let error):
            Self.sentence(error, "The response could not be read", Diagnosis.adviceOnReading)
        case .timedOut(let error?):
            Self.sentence(error, "No response arrived in time", Diagnosis.adviceOnTime)
        case .timedOut(nil): "No response arrived in time. \(Diagnosis.adviceOnTime)"
        case .unauthorizedRequest(let response), .tooManyRequests(_, let response), .serverError(let response):
            "\(response)"
        case .invalidSurvey:
            "There is no such survey. Check its name: use the name within the project, not the display name."
        case .webContentError(let error?): Self.sentence(error, "The survey could not be shown", "Try again.")
        case .webContentError(nil): "The survey could not be shown. Check its name or link, or try again."
        case .unknown(let error?): Self.sentence(error, "The call failed")
        case .unknown(nil): "The call failed for an unknown reason."
        }
    }

    public var errorDescription: String? { description }

    /// Returns the error's own description if it already consists of sentences. Otherwise, returns a sentence that
    /// contains the description, and then the advice.
    private static func sentence(_ error: any Error, _ opening: String, _ advice: String? = nil) -> String {
        if error is ExchangeError { return "\(error)" }
        let clause = "\(error)"
        return "\(opening): \(clause)\(clause.hasSuffix(".") ? "" : ".")" + (advice.map { " \($0)" } ?? "")
    }

    static func advice(_ error: ExchangeError) -> String? {
        switch error.kind {
        case .unauthorized:
            return "Get a new participant access token from your server: it expires after a few hours."
        case .forbidden: return "Ask your server for a token whose scopes cover this call."
        case .rateLimited where error.status != nil:
            guard let limit = APIRateLimit(error.rateLimit) else {
                return "Wait: the service limits the requests per hour."
            }
            return "Wait until \(ServiceDate.text(limit.nextReset)): the service allows "
                + "\(limit.maxRequestsPerHour) requests per hour for each participant."
        default: return nil
        }
    }
}

/// An error response from the service.
public struct HTTPResponseError: Error, Sendable, Equatable {
    /// The status code of the response.
    public let statusCode: Int
    /// The service's message as it was sent; nil if there is none. It is not meant for participants.
    ///
    /// The message is a plain text, a JSON string, or one field of a JSON object: `message`, `error`,
    /// `error_description`, `title`, or `detail`. If the message repeats a secret, it is replaced by “…”. A response
    /// over 1 MiB has no message.
    public let message: String?
    /// The method and the URL of the request, such as `GET https://…`, without the query. The text is empty if you
    /// create an error without a request.
    public let request: String
    /// The headers of the response. A value that repeats a secret of the request is replaced by “…”.
    public let headers: HeaderFields
    /// A text that names the request, the service's response, and what to do next. A long message of the service is
    /// truncated.
    public let description: String
    let kind: FailureKind

    /// Creates an error for use in tests and previews.
    public init(statusCode: Int, message: String? = nil, request: String = "", headers: HeaderFields = [:]) {
        self.statusCode = statusCode
        self.message = message
        self.request = request
        self.headers = headers
        kind = Diagnosis(status: statusCode).kind
        let reason = "\(ExchangeError.Reason.status(statusCode))\(ServiceMessage.clause(message))"
        description = "\(request.isEmpty ? "The request" : request) failed: \(reason)."
    }

    init(statusCode: Int, _ error: ExchangeError) {
        self.statusCode = statusCode
        message = error.message
        request = "\(error.context.method) \(error.context.url)"
        headers = error.response?.headers ?? [:]
        kind = error.kind
        description = "\(error)"
    }
}

extension HTTPResponseError: CustomStringConvertible, LocalizedError {
    public var errorDescription: String? { description }
}

/// The rate limit that applies to a participant's requests.
public struct APIRateLimit: Sendable, Equatable {
    /// The maximum number of requests per hour.
    public let maxRequestsPerHour: Int
    /// The number of requests remaining in this hour.
    public let remainingRequests: Int
    /// The date on which the limit resets.
    public let nextReset: Date

    /// Creates a rate limit for use in tests and previews.
    public init(maxRequestsPerHour: Int, remainingRequests: Int, nextReset: Date) {
        self.maxRequestsPerHour = maxRequestsPerHour
        self.remainingRequests = remainingRequests
        self.nextReset = nextReset
    }

    init?(_ announced: RateLimit?) {
        guard let limit = announced?.limit, let remaining = announced?.remaining, let resetsAt = announced?.resetsAt
        else { return nil }
        self.init(maxRequestsPerHour: limit, remainingRequests: remaining, nextReset: resetsAt)
    }
}

/// A failure that happened before a request was sent, or between two requests. Its text becomes part of the description
/// of a ``MyDataHelpsError``.
struct FailureReason: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    static let unusableIdentifier = FailureReason("a name or an identifier is empty, or consists only of dots")
}
