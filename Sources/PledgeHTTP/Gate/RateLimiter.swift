import Foundation
import Pledge
import PledgeCoding

/// A limiter that spaces requests to respect a service's rate limit. Share one among all clients of a token.
///
/// It also holds requests back while the service permits none: as long as it announces, but at most for an hour or the
/// limiter's period, whichever is longer; after a 429 that specifies no wait, for ``RetryRule/limitDelay`` or a minute.
/// After that, one request goes first, because the service may refuse it as well.
public final class RateLimiter: Sendable {
    /// A call that waits.
    private struct Waiting {
        let promise: Promise<TimeInterval>
        let permit: Resolver<TimeInterval>
        let begun: TimeInterval
        /// The longest wait for what the service announces, in seconds.
        let longest: TimeInterval
        /// Whether it had to wait for that.
        var isHeldBack: Bool
    }

    private struct State {
        // Times are those of the clock's uptime, so that it can be set without effect.
        var window: RateWindow
        /// In the order of arrival.
        var waiting = FIFO<Waiting>()
        var announced: RateLimit?
    }

    private let limit: Int
    private let period: TimeInterval
    private let clock: Timekeeper
    private let alarm: Alarm
    private let state: Locked<State>

    /// Creates a rate limiter for one token.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of requests in any period.
    ///   - period: The length of a period, in seconds.
    ///   - clock: The clock used for waiting.
    public init(limit: Int, per period: TimeInterval = 3600, clock: Timekeeper = .live) {
        (self.limit, self.period, self.clock, alarm) = (max(1, limit), period, clock, Alarm(clock))
        state = Locked(
            State(window: RateWindow(limit: self.limit, period: period, longestClosing: max(period, 3600))))
    }

    /// The rate limit the service announced most recently, to any client that shares this limiter.
    public var announced: RateLimit? { state.withLock { $0.announced } }

    /// The number of requests that may be sent right now.
    public var available: Int {
        let now = clock.uptime()
        return state.withLock { $0.window.available(now: now) ?? limit }
    }

    /// Returns a promise that is fulfilled when the next request may be sent, with the seconds waited for the service.
    ///
    /// - Parameter longest: The longest wait for the service, in seconds; the limiter's own spacing is not limited.
    /// - Rejects: With ``GateClosed`` as soon as it is known that the wait would be longer.
    /// - Cancellation: Leaves the queue.
    func permit(waitingAtMost longest: TimeInterval) -> Promise<TimeInterval> {
        let (promise, permit) = Promise<TimeInterval>.pending()
        update { state, now in
            let closed = state.window.closedUntil - now
            guard closed <= longest else { return [{ permit.reject(GateClosed(seconds: closed)) }] }
            state.waiting.append(
                Waiting(promise: promise, permit: permit, begun: now, longest: longest, isHeldBack: closed > 0))
            return []
        }
        return promise
    }

    /// Records the outcome of an attempt.
    ///
    /// - Parameter closing: The seconds for which no other request is to be sent.
    func record(_ attempt: Attempt, closing: TimeInterval?) {
        update { state, now in
            if let announced = attempt.announced { state.announced = announced }
            if attempt.showsRoom { _ = state.window.succeed(now: now) }
            guard let closing, state.window.close(for: closing, now: now) else { return [] }
            return Self.holdBack(&state, now)
        }
    }

    private typealias Effect = @Sendable () -> Void

    /// Changes the state, and then permits what it can.
    private func update(
        at time: TimeInterval? = nil, _ change: (inout State, _ now: TimeInterval) -> [Effect] = { _, _ in [] }
    ) {
        let now = max(clock.uptime(), time ?? -.infinity)
        let effects = state.withLock { state in
            var effects = change(&state, now)
            while !state.waiting.isEmpty, state.window.hasRoom(now: now), let next = state.waiting.popFirst() {
                // The request of a call that was canceled is left to the next.
                guard next.promise.isPending else { continue }
                state.window.promise()
                state.window.send(now: now)
                effects.append { next.permit.fulfill(next.isHeldBack ? now - next.begun : 0) }
            }
            let opening = state.waiting.isEmpty ? nil : state.window.opening(after: 0, now: now)
            // Some clocks are early.
            if let set = alarm.plan(opening, { self.update(at: opening) }) { effects.append(set) }
            return effects
        }
        for perform in effects { perform() }
    }

    /// Refuses the calls that will not wait as long as the service now announces.
    private static func holdBack(_ state: inout State, _ now: TimeInterval) -> [Effect] {
        var effects: [Effect] = []
        for _ in 0..<state.waiting.count {
            guard var next = state.waiting.popFirst() else { break }
            let closed = state.window.closedUntil - now
            if next.begun + next.longest < state.window.closedUntil {
                effects.append { [permit = next.permit] in permit.reject(GateClosed(seconds: closed)) }
            } else {
                next.isHeldBack = true
                state.waiting.append(next)
            }
        }
        return effects
    }
}

extension RateLimiter: Discreet {
    /// The number of requests and the length of a period.
    public var description: String { "RateLimiter(\(limit) in \(period) s)" }
}
