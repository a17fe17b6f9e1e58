import Foundation
import Pledge
import PledgeCoding

/// A limiter that spaces requests to respect a service's rate limit. Share one among all clients of a token.
///
/// It also holds requests back while the service permits none: as long as it announces, but at most for an hour or the
/// limiter's period, whichever is longer; after a 429 that specifies no wait, for ``RetryRule/limitDelay`` or a minute.
public final class RateLimiter: Sendable {
    private struct State {
        // Times are those of the clock's uptime, so that it can be set without effect.
        /// The times of the requests of the last period, oldest first.
        var sent: [TimeInterval] = []
        /// No request is permitted before this time, because the service announced so or refused one.
        var closedUntil: TimeInterval?
        /// After that, one request is permitted, and before this time no other unless that one succeeds: the service
        /// may refuse it as well.
        var trialUntil: TimeInterval?
        var announced: RateLimit?
    }

    /// The error of a call that would have to wait too long because of what the service announced.
    struct Closed: Error {
        let seconds: TimeInterval
    }

    /// The seconds for which a 429 that specifies no wait closes the limiter.
    private static let bareWait: TimeInterval = 60
    /// The seconds between the first request after a wait and the next, unless the service answers it before.
    private static let trial: TimeInterval = 5

    private let limit: Int
    private let period: TimeInterval
    private let clock: Timekeeper
    private let state = Locked(State())
    // One at a time, in the order of arrival.
    private let queue = Semaphore(width: 1)

    /// Creates a rate limiter for one token.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of requests in any period.
    ///   - period: The length of a period, in seconds.
    ///   - clock: The clock used for waiting.
    public init(limit: Int, per period: TimeInterval = 3600, clock: Timekeeper = .live) {
        self.limit = max(1, limit)
        self.period = period
        self.clock = clock
    }

    /// The rate limit the service announced most recently, to any client that shares this limiter.
    public var announced: RateLimit? { state.withLock { $0.announced } }

    /// The number of requests that may be sent right now.
    public var available: Int {
        let now = clock.uptime()
        return state.withLock { state in
            if let closed = state.closedUntil, closed > now { return 0 }
            return limit - state.sent.filter { now - $0 < period }.count
        }
    }

    /// The longest time for which a service's announcement is believed, in seconds.
    private var longestClosing: TimeInterval { max(period, 3600) }

    /// Returns a promise that is fulfilled when the next request may be sent, with the seconds waited for the service.
    ///
    /// - Parameter longest: The longest wait for the service, in seconds; the limiter's own spacing is not limited.
    /// - Rejects: With ``Closed`` when the wait would be longer.
    /// - Cancellation: Leaves the queue.
    func permit(waitingAtMost longest: TimeInterval) -> Promise<TimeInterval> {
        let begun = clock.uptime()
        let deadline = begun + longest
        let closed = state.withLock { $0.closedUntil.flatMap { $0 > begun ? $0 : nil } }
        if let closed, closed > deadline { return Promise(error: Closed(seconds: closed - begun)) }
        return queue.enter { self.wait(from: begun, until: deadline, isClosed: closed != nil) }
    }

    private func wait(
        from begun: TimeInterval, until deadline: TimeInterval, isClosed: Bool
    ) -> Promise<TimeInterval> {
        let now = clock.uptime()
        let (seconds, refused, closed) = state.withLock { state -> (TimeInterval, Bool, Bool) in
            state.sent.removeAll { now - $0 >= period }
            if let closed = state.closedUntil, closed > now {
                return (closed - now, closed > deadline, true)
            }
            if let trial = state.trialUntil, trial > now { return (trial - now, false, isClosed) }
            if state.sent.count >= limit, let oldest = state.sent.first {
                return (oldest + period - now, false, isClosed)
            }
            state.trialUntil = state.closedUntil == nil ? nil : now + Self.trial
            state.closedUntil = nil
            state.sent.append(now)
            return (0, false, isClosed)
        }
        if refused { return Promise(error: Closed(seconds: seconds)) }
        guard seconds > 0 else { return .value(closed ? now - begun : 0) }
        return after(seconds: seconds, timekeeper: clock).then(on: nil) { _ -> Promise<TimeInterval> in
            self.wait(from: begun, until: deadline, isClosed: closed)
        }
    }

    /// Records the rate limit and the delay that a response announces. A late response never shortens an earlier wait.
    ///
    /// - Parameter received: The date at which the response arrived, to which that of the limit is relative.
    func note(_ announced: RateLimit?, asksFor wait: TimeInterval?, status: Int, received: Date) {
        let now = clock.uptime()
        state.withLock { state in
            if let announced { state.announced = announced }
            var closing: TimeInterval?
            if status == 429 { closing = wait ?? Self.bareWait } else { state.trialUntil = nil }
            if announced?.remaining == 0, let resetsAt = announced?.resetsAt {
                closing = max(closing ?? 0, resetsAt.timeIntervalSince(received))
            }
            guard let closing, closing > 0 else { return }
            let until = now + min(closing, longestClosing)
            state.closedUntil = max(state.closedUntil ?? until, until)
        }
    }
}

extension RateLimiter: Discreet {
    /// The number of requests and the length of a period.
    public var description: String { "RateLimiter(\(limit) in \(period) s)" }
}
