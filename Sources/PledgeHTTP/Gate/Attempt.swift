import Foundation

/// The outcome of one attempt to send a request, as far as limits, retries, and the health of a service depend on it.
package struct Attempt: Sendable, Equatable {
    package enum Outcome: Sendable, Equatable {
        /// A response about the request, success or failure: the service works.
        case answered
        /// A 429.
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
    /// The status code of a response that shows a limit or a fault.
    package var status: Int?
    /// The seconds to wait that such a response specifies.
    package var asked: Double?
    /// The rate limit that the response announces.
    package var announced: RateLimit?
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

    /// - Parameter problem: The reason why the response is not the result of the call; nil if it is.
    init(_ response: RawResponse?, _ problem: ExchangeError.Reason?, now: Date) {
        outcome = problem.map { Diagnosis($0).outcome } ?? .answered
        guard let response else { return }
        announced = RateLimit(response.headers, now: now)
        closes = announced?.remaining == 0 ? announced?.resetsAt?.timeIntervalSince(now) : nil
        switch outcome {
        case .answered, .unsent: break
        case .limited, .fault: (status, asked) = (response.status, RetryAfter.seconds(in: response, now: now))
        // By these statuses, the service itself says that there is no content.
        case .garbled: if response.status == 204 || response.status == 205 { outcome = .answered }
        // Whatever is wrong with the response, the service sent one.
        case .unclear: outcome = .answered
        }
    }
}
