import Foundation
import PledgeHTTP

/// An error response from the service.
public struct HTTPResponseError: Error, Sendable, Equatable {
    /// The status code of the response.
    public let statusCode: Int
    /// The service's message, verbatim, or “…” if it repeats a secret: plain text, a JSON string, or a JSON object's
    /// `message`, `error`, `error_description`, `title`, or `detail`. Nil for a response over 1 MiB. Not for
    /// participants.
    public let message: String?
    /// The request, as `GET https://…`, without the query; empty for an error created manually.
    public let request: String
    /// The headers of the response; a value that repeats a secret of the request is “…”.
    public let headers: HeaderFields
    /// The request, the service's response, and what to do next. A long message is truncated.
    public let description: String

    /// Creates an error for use in tests and previews.
    public init(statusCode: Int, message: String? = nil, request: String = "", headers: HeaderFields = [:]) {
        let reason = ExchangeError.Reason.status(statusCode, message: message.flatMap(ServiceMessage.line))
        self.statusCode = statusCode
        self.message = message
        self.request = request
        self.headers = headers
        description = "\(request.isEmpty ? "The request" : request) failed: \(reason)."
    }

    init(statusCode: Int, _ error: ExchangeError) {
        self.statusCode = statusCode
        message = error.message
        request = "\(error.context.method) \(error.context.url)"
        headers = error.response?.headers ?? [:]
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
    /// The date at which the limit resets.
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
