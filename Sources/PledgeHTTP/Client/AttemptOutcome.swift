import Foundation

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
    /// The wait that a failed response asks for, in seconds.
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
