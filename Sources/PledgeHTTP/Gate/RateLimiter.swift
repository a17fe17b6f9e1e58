import Foundation
import Pledge
import PledgeCoding

/// A limiter that spaces requests so that they stay within a service's rate limit. Share one limiter among all clients
/// that use the same token.
///
/// A service counts a request when it arrives, and the limiter cannot see when that is. So each request counts from its
/// permit until one period after its response. Without a response, the request is assumed to have arrived after 30
/// seconds.
///
/// The limiter also holds requests back while the service permits none. It does so for as long as the service
/// announces, but at most for an hour or the limiter's period, whichever is longer. After a 429 that doesn't specify a
/// wait, it holds requests back for ``RetryRule/limitDelay``, or for a minute if that is nil. Afterwards, the limiter
/// first sends a single request, because the service may still refuse it.
public final class RateLimiter: Sendable {
    /// A permit for one request. The request counts as under way until the last reference to the permit is released.
    final class Permit: Sendable {
        /// The seconds that the call waited because of the service's announcements.
        let waited: TimeInterval
        private let sent: TimeInterval
        private let limiter: RateLimiter

        fileprivate init(_ limiter: RateLimiter, sent: TimeInterval, waited: TimeInterval) {
            self.limiter = limiter
            self.sent = sent
            self.waited = waited
        }

        deinit {
            limiter.update { [sent] state, now in
                state.window.end(sentAt: sent, now: now)
                return []
            }
        }
    }

    /// A call that waits for a permit.
    private struct Waiting {
        let permit: Resolver<Permit>
        /// The longest that this call may wait for a limit that the service announced, in seconds.
        let longest: TimeInterval
        /// The time at which the call began to wait.
        let since: TimeInterval
        /// The time at which the call began to wait because of the service's announcements; nil if it waits only for
        /// the limiter's own spacing.
        var heldSince: TimeInterval?
    }

    private struct State {
        // Times are those of the clock's uptime, so that setting the clock does not affect them.
        var window: SlidingWindow
        var waiting = WaitingList<Waiting>()
        /// The sum of the seconds that all calls have waited.
        var waited: TimeInterval = 0
    }

    private let limit: Int?
    private let period: TimeInterval
    private let longestWait: TimeInterval
    private let clock: Timekeeper
    private let alarm: Alarm
    private let state: Locked<State>

    /// Creates a rate limiter for one token. It permits at most `limit` requests in any period of the given length, in
    /// seconds.
    public convenience init(limit: Int, per period: TimeInterval = 3600, clock: Timekeeper = .live) {
        self.init(limit: limit, per: period, clock: clock, waitingAtMost: .infinity)
    }

    /// - Parameters:
    ///   - limit: The number of requests in any period; nil to hold requests back only while the service permits none.
    ///   - longestWait: The maximum sum of the waits of all calls, in seconds. It includes waits for the limiter's own
    ///     spacing. A call that would exceed the maximum is refused.
    package init(
        limit: Int?, per period: TimeInterval = 3600, clock: Timekeeper, waitingAtMost longestWait: TimeInterval
    ) {
        self.limit = limit.map { max($0, 1) }
        self.period = period
        self.clock = clock
        self.longestWait = longestWait
        alarm = Alarm(clock)
        state = Locked(
            State(window: SlidingWindow(limit: self.limit, period: period, longestClosing: max(period, 3600))))
    }

    /// The number of requests that may be sent right now.
    public var available: Int {
        let now = clock.uptime()
        return state.withLock { $0.window.available(now: now) ?? limit ?? .max }
    }

    /// Returns a promise that is fulfilled when the next request may be sent.
    ///
    /// The promise rejects with ``GateClosed`` as soon as the limiter knows that the service's announcements would hold
    /// the call back for more than `longest` seconds. The time that the call waits for the limiter's own spacing does
    /// not count.
    ///
    /// - Parameter onWait: Called before a wait, with the seconds that the wait will take as far as that is known.
    func permit(
        waitingAtMost longest: TimeInterval, onWait: @escaping @Sendable (TimeInterval) -> Void = { _ in }
    ) -> Promise<Permit> {
        let (promise, permit) = Promise<Permit>.pending()
        update { state, now in
            let closed = state.window.closedUntil - now
            guard closed <= max(0, longest) else { return [{ permit.reject(GateClosed(seconds: closed)) }] }
            let pause = state.window.opening(after: state.waiting.count, now: now) - now
            guard state.waited + max(0, pause) <= longestWait else {
                return [{ permit.reject(GateClosed(seconds: pause)) }]
            }
            let number = state.waiting.append(
                Waiting(permit: permit, longest: longest, since: now, heldSince: closed > 0 ? now : nil))
            return [
                { permit.onCancel { [weak self] in self?.leave(number) } }, { if pause > 0 { onWait(pause) } },
            ]
        }
        return promise
    }

    /// Adds the wait of a call to the total of all calls. Returns false, and adds nothing, if the total would exceed
    /// the longest wait.
    func addWait(_ seconds: TimeInterval) -> Bool {
        state.withLock { state in
            guard state.waited + seconds <= longestWait else { return false }
            state.waited += seconds
            return true
        }
    }

    private func leave(_ number: Int) {
        update { state, _ in
            state.waiting.remove(number)
            return []
        }
    }

    /// Records the outcome of an attempt. `closing` is the number of seconds during which no other request may be sent.
    func record(_ attempt: AttemptOutcome, closing: TimeInterval?) {
        update { state, now in
            if attempt.hasQuotaLeft { _ = state.window.succeed(now: now) }
            guard let closing, state.window.close(for: closing, now: now) else { return [] }
            return Self.holdBack(&state, now)
        }
    }

    private typealias Effect = @Sendable () -> Void

    /// Changes the state, and then grants the permits that are due.
    private func update(
        at time: TimeInterval? = nil, _ change: (inout State, _ now: TimeInterval) -> [Effect] = { _, _ in [] }
    ) {
        let now = max(clock.uptime(), time ?? -.infinity)
        let effects = state.withLock { state in
            var effects = change(&state, now)
            while !state.waiting.isEmpty, state.window.hasRoom(now: now), let next = state.waiting.popFirst() {
                state.window.reserve()
                state.window.send(now: now)
                state.waited += now - next.since
                let waited = next.heldSince.map { state.window.closedUntil - $0 } ?? 0
                let permit = Permit(self, sent: now, waited: waited)
                effects.append { next.permit.fulfill(permit) }
            }
            let opening = state.waiting.isEmpty ? nil : state.window.nextLook(now: now)
            // Some clocks call slightly too early. So the next update is told the time for which it was planned.
            if let set = alarm.plan(opening, { self.update(at: opening) }) { effects.append(set) }
            return effects
        }
        for perform in effects { perform() }
    }

    /// The service has just announced a wait. Refuses the waiting calls for which this wait is too long.
    private static func holdBack(_ state: inout State, _ now: TimeInterval) -> [Effect] {
        let end = state.window.closedUntil
        var effects: [Effect] = []
        state.waiting.removeAll { call in
            let since = call.heldSince ?? now
            call.heldSince = since
            guard since + call.longest < end else { return false }
            effects.append { [permit = call.permit] in permit.reject(GateClosed(seconds: end - now)) }
            return true
        }
        return effects
    }
}

extension RateLimiter: Redacted {
    /// The number of requests and the length of a period.
    public var description: String { "RateLimiter(\(limit.map(String.init) ?? "any number") in \(period) s)" }
}
