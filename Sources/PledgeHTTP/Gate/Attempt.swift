import Foundation

/// The outcome of one attempt to send a request, as far as limits, retries, and the health of a service depend on it.
package struct Attempt: Sendable, Equatable {
    package enum Outcome: Sendable, Equatable {
        /// A response about the request, success or failure: the service works.
        case answered
        /// A 429, or a 403 that announces a limit: the service has not processed the request.
        case limited
        /// A lost connection, a missing response, or a fault of the service.
        case fault
        /// No connection could be made at all, which no request can cause: the request has not reached the service.
        case unsent
        /// A response that cannot have come from the service: a truncated body or a web page.
        case garbled
        /// No indication of the service's health, such as an untrusted certificate.
        case unclear
    }

    package var outcome: Outcome
    /// The status code of a response that is a failure.
    package var status: Int?
    /// The seconds to wait that such a response specifies.
    package var asked: Double?
    /// The seconds during which the service permits no further requests with the token.
    package var closes: Double?

    /// Whether the service has processed the request, so that it may well permit others.
    package var showsRoom: Bool {
        switch outcome {
        case .answered: true
        case .fault: status != nil
        case .limited, .unsent, .garbled, .unclear: false
        }
    }

    package init(_ outcome: Outcome, asking seconds: Double? = nil, closes: Double? = nil) {
        (self.outcome, asked, self.closes) = (outcome, seconds, closes)
    }

    /// - Parameters:
    ///   - problem: The reason why the response is not the result of the call; nil if it is.
    ///   - announced: The rate limit that the response announces.
    init(_ response: RawResponse?, _ problem: ExchangeError.Reason?, _ announced: RateLimit? = nil, now: Date) {
        let seconds = response.flatMap { RetryAfter.seconds(in: $0, announced, now: now) }
        outcome = problem.map { Diagnosis($0, announced, asking: seconds).outcome } ?? .answered
        guard let response else { return }
        closes = announced?.remaining == 0 ? announced?.resetsAt?.timeIntervalSince(now) : nil
        if case .status = problem { (status, asked) = (response.status, seconds) }
        switch outcome {
        case .answered, .unsent, .limited, .fault: break
        // By these statuses, the service itself says that there is no content.
        case .garbled: if response.status == 204 || response.status == 205 { outcome = .answered }
        // Whatever is wrong with the response, the service sent one.
        case .unclear: outcome = .answered
        }
    }
}
