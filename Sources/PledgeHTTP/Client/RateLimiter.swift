import Foundation
import Pledge
import PledgeCoding

/// A limiter that spaces requests to respect a service's rate limit. Share one among all clients of a token.
public final class RateLimiter: Sendable {
    private struct State {
        /// The times of the requests of the last period, oldest first.
        var sent: [Date] = []
        /// No request is permitted before this time, because the service reported that none remain.
        var closedUntil: Date?
        var announced: RateLimit?
    }

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

    /// Returns a promise that is fulfilled when the next request may be sent.
    ///
    /// - Cancellation: Leaves the queue.
    func permit() -> Promise<Void> {
        queue.enter { self.wait() }
    }

    private func wait() -> Promise<Void> {
        let now = clock.now()
        let seconds = state.withLock { state -> TimeInterval in
            state.sent.removeAll { now.timeIntervalSince($0) >= period }
            if let closed = state.closedUntil, closed > now { return closed.timeIntervalSince(now) }
            state.closedUntil = nil
            if state.sent.count >= limit, let oldest = state.sent.first {
                return oldest.addingTimeInterval(period).timeIntervalSince(now)
            }
            state.sent.append(now)
            return 0
        }
        guard seconds > 0 else { return Promise() }
        return after(seconds: seconds, timekeeper: clock).then(on: nil) { _ -> Promise<Void> in self.wait() }
    }

    /// Records the rate limit and the delay that a response announces.
    func note(_ announced: RateLimit?, asksFor wait: TimeInterval?, status: Int) {
        let now = clock.now()
        state.withLock { state in
            if let announced { state.announced = announced }
            if let resetsAt = announced?.resetsAt, announced?.remaining == 0 { state.closedUntil = resetsAt }
            if status == 429, let wait { state.closedUntil = now.addingTimeInterval(wait) }
        }
    }
}

extension RateLimiter: Discreet {
    /// The number of requests and the length of a period.
    public var description: String { "RateLimiter(\(limit) in \(period) s)" }
}
