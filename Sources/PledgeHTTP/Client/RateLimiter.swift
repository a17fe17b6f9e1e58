import Foundation
import Pledge
import PledgeCoding

/// A limiter that spaces requests to respect a service's rate limit. Share one among all clients of a token.
///
/// It also holds requests back while the service permits none: as long as it announces, but at most for an hour or the
/// limiter's period, whichever is longer; after a 429 that specifies no wait, for ``RetryRule/limitDelay`` or a minute.
public final class RateLimiter: Sendable {
    private struct State {
        /// The times of the requests of the last period, oldest first.
        var sent: [Date] = []
        /// No request is permitted before this time, because the service announced so or refused one.
        var closedUntil: Date?
        /// After that, one request is permitted, and before this time no other unless that one succeeds: the service
        /// may refuse it as well.
        var trialUntil: Date?
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
    ///   - clock: The clock used for waiting and for the current time.
    public init(limit: Int, per period: TimeInterval = 3600, clock: Timekeeper = .live) {
        self.limit = max(1, limit)
        self.period = period
        self.clock = clock
    }

    /// The rate limit the service announced most recently, to any client that shares this limiter.
    public var announced: RateLimit? { state.withLock { $0.announced } }

    /// The number of requests that may be sent right now.
    public var available: Int {
        let now = clock.now()
        return state.withLock { state in
            if let closed = state.closedUntil, closed > now { return 0 }
            return limit - state.sent.filter { now.timeIntervalSince($0) < period }.count
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
        let begun = clock.now()
        let deadline = begun.addingTimeInterval(longest)
        let closed = state.withLock { $0.closedUntil.flatMap { $0 > begun ? $0 : nil } }
        if let closed, closed > deadline { return Promise(error: Closed(seconds: closed.timeIntervalSince(begun))) }
        return queue.enter { self.wait(from: begun, until: deadline, isClosed: closed != nil) }
    }

    private func wait(from begun: Date, until deadline: Date, isClosed: Bool) -> Promise<TimeInterval> {
        let now = clock.now()
        let (seconds, refused, closed) = state.withLock { state -> (TimeInterval, Bool, Bool) in
            state.sent.removeAll { now.timeIntervalSince($0) >= period }
            if let closed = state.closedUntil, closed > now {
                return (closed.timeIntervalSince(now), closed > deadline, true)
            }
            if let trial = state.trialUntil, trial > now { return (trial.timeIntervalSince(now), false, isClosed) }
            if state.sent.count >= limit, let oldest = state.sent.first {
                return (oldest.addingTimeInterval(period).timeIntervalSince(now), false, isClosed)
            }
            state.trialUntil = state.closedUntil == nil ? nil : now.addingTimeInterval(Self.trial)
            state.closedUntil = nil
            state.sent.append(now)
            return (0, false, isClosed)
        }
        if refused { return Promise(error: Closed(seconds: seconds)) }
        guard seconds > 0 else { return .value(closed ? max(0, now.timeIntervalSince(begun)) : 0) }
        return after(seconds: seconds, timekeeper: clock).then(on: nil) { _ -> Promise<TimeInterval> in
            self.wait(from: begun, until: deadline, isClosed: closed)
        }
    }

    /// Records the rate limit and the delay that a response announces. A late response never shortens an earlier wait.
    func note(_ announced: RateLimit?, asksFor wait: TimeInterval?, status: Int) {
        let now = clock.now()
        state.withLock { state in
            if let announced { state.announced = announced }
            var closing: TimeInterval?
            if status == 429 { closing = wait ?? Self.bareWait } else { state.trialUntil = nil }
            if announced?.remaining == 0, let resetsAt = announced?.resetsAt {
                closing = max(closing ?? 0, resetsAt.timeIntervalSince(now))
            }
            guard let closing, closing > 0 else { return }
            let until = now.addingTimeInterval(min(closing, longestClosing))
            state.closedUntil = max(state.closedUntil ?? until, until)
        }
    }
}

extension RateLimiter: Discreet {
    /// The number of requests and the length of a period.
    public var description: String { "RateLimiter(\(limit) in \(period) s)" }
}
