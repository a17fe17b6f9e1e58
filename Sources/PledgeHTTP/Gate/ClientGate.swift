import Foundation
import Pledge

/// A request at the gate of a single client. The limiter of its token and its retry rule decide when it is sent.
final class ClientGate: GatedRequest {
    private struct State {
        var count = AttemptCount()
        var pause: TimeInterval = 0
        /// The limiter's permit for the request under way.
        var permit: RateLimiter.Permit?
        /// The seconds waited so far, for retries and because of the service's announcements.
        var waited: TimeInterval = 0
    }

    private static let open = Promise.value(())

    private let limiter: RateLimiter?
    private let rule: RetryRule
    private let clock: Timekeeper
    private let mayRepeat: Bool
    private let state = Locked(State())

    /// - Parameter mayRepeat: Whether sending the request twice has the same effect as once.
    init(_ limiter: RateLimiter?, _ rule: RetryRule, _ clock: Timekeeper, mayRepeat: Bool) {
        self.limiter = limiter
        self.rule = rule
        self.clock = clock
        self.mayRepeat = mayRepeat
    }

    func permit(onWait: @escaping @Sendable (TimeInterval) -> Void) -> Promise<Void> {
        let pause = state.withLock { state in
            defer { (state.waited, state.pause) = (state.waited + state.pause, 0) }
            return state.pause
        }
        guard pause > 0 else { return limit(onWait) }
        return after(seconds: pause, timekeeper: clock).then(on: nil) { self.limit(onWait) }
    }

    private func limit(_ onWait: @escaping @Sendable (TimeInterval) -> Void) -> Promise<Void> {
        guard let limiter else { return Self.open }
        let allowed = rule.longestWait - state.withLock(\.waited)
        return limiter.permit(waitingAtMost: allowed, onWait: onWait).map(on: nil) { permit in
            self.state.withLock { state in
                state.permit = permit
                state.waited += permit.waited
            }
        }
    }

    func record(_ attempt: AttemptOutcome, _ sent: SentRequest, seconds: TimeInterval) -> TimeInterval? {
        let verdict = state.withLock { state in
            var verdict = rule.verdict(
                on: attempt, &state.count, waited: state.waited, mayRepeat: mayRepeat, random: rule.random)
            // The wait for a limit counts toward the total that the limiter's calls may wait.
            if attempt.outcome == .limited, let pause = verdict.pause, limiter?.addWait(pause) == false {
                verdict.pause = nil
            }
            state.pause = verdict.pause ?? 0
            return verdict
        }
        limiter?.record(attempt, closing: verdict.closing)
        // The permit is released without the lock, because that permits other calls, which go on at once.
        withExtendedLifetime(state.withLock { $0.permit.take() }) {}
        return verdict.pause
    }
}

/// A request at a gate, from its first permit to the outcome that is its result.
///
/// The gate decides when the request may be sent, and whether it is sent again. The limits and retries of a single
/// client determine that, or the schedule of a batch.
package protocol GatedRequest: Sendable {
    /// Returns a promise that is fulfilled when the request may be sent, for the first time or again.
    ///
    /// - Parameter onWait: Called before a wait for a limit, with the number of seconds, if the gate knows it.
    /// - Rejects: With ``GateClosed``, with ``GateGaveUp`` if the request was sent before, or with another error of the
    ///   gate.
    func permit(onWait: @escaping @Sendable (TimeInterval) -> Void) -> Promise<Void>

    /// Records the outcome and the duration of an attempt. Returns the number of seconds after which the request may be
    /// sent again; nil if the outcome is the request's result.
    func record(_ attempt: AttemptOutcome, _ sent: SentRequest, seconds: TimeInterval) -> TimeInterval?
}

/// A wait of a call before it sends a request, in seconds.
package struct RequestWait: Sendable {
    /// The shortest wait that is announced, in seconds.
    package static let shortestAnnounced = 5.0

    package enum Reason: Sendable, Equatable {
        /// The service, or the client's own limiter, permits no request until the end of the wait.
        case limit
        /// The service answered the last attempt with this status code, and the request is repeated.
        case status(Int)
        /// The last attempt had no response, and the request is repeated.
        case noResponse
        /// The source of the tokens has not returned a token for this many seconds. It may take longer.
        case token
    }

    package var seconds: TimeInterval
    package var reason: Reason

    package init(seconds: TimeInterval, reason: Reason) { (self.seconds, self.reason) = (seconds, reason) }
}

/// A request that was sent, and its outcome.
package struct SentRequest: Sendable {
    package var request: OutgoingRequest
    package var outcome: Result<RawResponse, any Error>
    /// The request's token, if the token can be renewed.
    var credential: SentCredential?

    package var response: RawResponse? { try? outcome.get() }
}

/// The error of a request that would have to wait longer for a limit than it may.
package struct GateClosed: Error {
    package var seconds: TimeInterval

    package init(seconds: TimeInterval) { self.seconds = seconds }
}

/// The error of a request that is not sent again after all. The outcome of its last attempt is its result.
package struct GateGaveUp: Error {
    package init() {}
}

/// The outcome of one attempt to send a request, as limits, retries, and the health of a service see it.
package struct AttemptOutcome: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// A response about the request. It may report success or failure, but the service works.
        case answered
        /// A 429, or a 403 that announces a limit. The service has not processed the request.
        case limited
        /// A lost connection, a missing response, or a fault of the service.
        case fault
        /// No connection could be made. No request can cause that, and the request has not reached the service.
        case unsent
        /// A response that cannot have come from the service: a truncated body or a web page.
        case garbled
        /// An outcome that says nothing about the service's health, such as an untrusted certificate.
        case unclear
    }

    package var outcome: Kind
    /// The status code of a response that reports a failure.
    package var status: Int?
    /// The number of seconds that such a response asks the client to wait.
    package var requestedWait: Double?
    /// The seconds during which the service permits no further requests with the token.
    package var closes: Double?

    /// Whether the service has processed the request. If so, it may well permit other requests.
    package var hasQuotaLeft: Bool {
        switch outcome {
        case .answered: true
        case .fault: status != nil
        case .limited, .unsent, .garbled, .unclear: false
        }
    }

    package init(_ outcome: Kind, asking seconds: Double? = nil, closes: Double? = nil) {
        self.outcome = outcome
        requestedWait = seconds
        self.closes = closes
    }

    /// - Parameters:
    ///   - problem: The reason why the response is not the result of the call; nil if it is the result.
    ///   - announced: The rate limit that the response announces.
    init(_ response: RawResponse?, _ problem: ExchangeError.Reason?, _ announced: RateLimit? = nil, now: Date) {
        let seconds = response.flatMap { RetryAfter.seconds(in: $0, announced, now: now) }
        outcome = problem.map { Diagnosis($0, announced, asking: seconds).outcome } ?? .answered
        guard let response else { return }
        closes = announced?.remaining == 0 ? announced?.resetsAt?.timeIntervalSince(now) : nil
        if case .status = problem { (status, requestedWait) = (response.status, seconds) }
        switch outcome {
        case .answered, .unsent, .limited, .fault: break
        // With these status codes, the service states that the response has no content.
        case .garbled: if response.status == 204 || response.status == 205 { outcome = .answered }
        // The response came from the service, even if something is wrong with it.
        case .unclear: outcome = .answered
        }
    }
}
