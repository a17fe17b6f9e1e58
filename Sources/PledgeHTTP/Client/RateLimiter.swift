import Foundation
import Pledge
import PledgeCoding

/// Spaces requests, so that a batch never runs into a service's limit. Share one among all clients of one token.
public final class RateLimiter: Sendable {
    private struct State {
        /// When the requests of the last period were let go, oldest first.
        var sent: [Date] = []
        /// Nothing goes before this, because the service said that nothing is left.
        var closedUntil: Date?
        var announced: RateLimit?
    }

    private let limit: Int
    private let period: TimeInterval
    private let clock: Timekeeper
    private let state = Locked(State())
    // One after the other: who came first goes first.
    private let queue = Semaphore(width: 1)

    /// Makes a limiter for one token.
    ///
    /// - Parameters:
    ///   - limit: how many requests in any period.
    ///   - period: how long that is, in seconds.
    ///   - clock: the clock.
    public init(limit: Int, per period: TimeInterval = 3600, clock: Timekeeper = .live) {
        self.limit = max(1, limit)
        self.period = period
        self.clock = clock
    }

    /// What the service announced last, with whatever client.
    public var announced: RateLimit? { state.withLock { $0.announced } }

    /// How many more requests may go right now.
    public var available: Int {
        let now = clock.now()
        return state.withLock { state in
            if let closed = state.closedUntil, closed > now { return 0 }
            return limit - state.sent.filter { now.timeIntervalSince($0) < period }.count
        }
    }

    /// A promise that is fulfilled when the next request may go.
    ///
    /// - Cancellation: leaves the queue.
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

    /// Takes to heart what a reply says.
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
    /// How many requests, and how long a period is.
    public var description: String { "RateLimiter(\(limit) in \(period) s)" }
}
