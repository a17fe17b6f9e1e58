import Foundation
import PledgeHTTP

/// What the service said when it did not do what was asked.
public struct HTTPResponseError: Error, Sendable, Equatable {
    /// The status code of the reply.
    public let statusCode: Int
    /// The service's own words to the letter but for secrets: plain text, a JSON string, or a JSON object's `message` (or
    /// `error`, `error_description`, `title`, `detail`). Nil for a reply of more than 1 MiB. Not meant for participants.
    public let message: String?
    /// What was asked, as `GET https://…`, without the query; empty for an error made by hand.
    public let request: String
    /// The header lines of the reply, without what was secret in the request.
    public let headers: HeaderFields
    /// What was asked, what the service answered, and what to do next: of a long message only the start.
    public let description: String

    /// Makes an error by hand, for tests and previews.
    public init(statusCode: Int, message: String? = nil, request: String = "", headers: HeaderFields = [:]) {
        let words = message.flatMap(ServiceMessage.line).map { ", saying “\($0)”" } ?? ""
        self.statusCode = statusCode
        self.message = message
        self.request = request
        self.headers = headers
        description =
            "\(request.isEmpty ? "The request" : request) failed: the service answered \(statusCode)\(words)."
    }

    init(statusCode: Int, _ error: ExchangeError) {
        self.statusCode = statusCode
        message = error.message
        request = "\(error.context.method) \(error.context.url)"
        headers = error.headers
        description = "\(error)"
    }
}

extension HTTPResponseError: CustomStringConvertible, LocalizedError {
    public var errorDescription: String? { description }
}

/// How many requests the service allows a participant.
public struct APIRateLimit: Sendable, Equatable {
    /// How many in an hour.
    public let maxRequestsPerHour: Int
    /// How many are left.
    public let remainingRequests: Int
    /// When the next hour begins.
    public let nextReset: Date

    /// Makes a limit by hand, for tests and previews.
    public init(maxRequestsPerHour: Int, remainingRequests: Int, nextReset: Date) {
        self.maxRequestsPerHour = maxRequestsPerHour
        self.remainingRequests = remainingRequests
        self.nextReset = nextReset
    }

    /// Nil unless the service announced all three numbers.
    init?(_ announced: RateLimit?) {
        guard let limit = announced?.limit, let remaining = announced?.remaining, let resetsAt = announced?.resetsAt
        else { return nil }
        self.init(maxRequestsPerHour: limit, remainingRequests: remaining, nextReset: resetsAt)
    }
}
