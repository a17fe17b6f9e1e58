import Foundation
import Pledge
import PledgeCoding

/// A limiter that spaces requests to respect a service's rate limit. Share one among all clients of a token.
///
/// A service counts a request when it arrives, and the limiter cannot see when that is. So each request counts from its
/// permit until a period after its response. Without a response, it is taken to have arrived after 30 seconds.
///
/// It also holds requests back while the service permits none: as long as it announces, but at most for an hour or the
/// limiter's period, whichever is longer; after a 429 that specifies no wait, for ``RetryRule/limitDelay`` or a minute.
/// After that, one request goes first, because the service may refuse it as well.
public final class RateLimiter: Sendable {
    /// A permit for one request, which counts as under way until its last reference is released.
    final class Permit: Sendable {
        /// The seconds waited for what the service announces.
        let waited: TimeInterval
        private let sent: TimeInterval
        private let limiter: RateLimiter

        fileprivate init(_ limiter: RateLimiter, sent: TimeInterval, waited: TimeInterval) {
            (self.limiter, self.sent, self.waited) = (limiter, sent, waited)
        }

        deinit {
            limiter.update { [sent] state, now in
                state.window.end(sentAt: sent, now: now)
                return []
            }
        }
    }

    /// A call that waits.
    private struct Waiting {
        let permit: Resolver<Permit>
        /// The longest wait for what the service announces, in seconds.
        let longest: TimeInterval
        /// The time since which it waits.
        let since: TimeInterval
        /// The time since which it waits for what the service announces, too.
        var heldSince: TimeInterval?
    }

    private struct State {
        // Times are by the clock's uptime, which setting the clock does not affect.
        var window: SlidingWindow
        var waiting = WaitingList<Waiting>()
        /// The seconds that all calls have waited.
        var waited: TimeInterval = 0
    }

    private let limit: Int
    private let period: TimeInterval
    private let longestWait: TimeInterval
    private let clock: Timekeeper
    private let alarm: Alarm
    private let state: Locked<State>

    /// Creates a rate limiter for one token, which permits at most `limit` requests in any period of this many seconds.
    public convenience init(limit: Int, per period: TimeInterval = 3600, clock: Timekeeper = .live) {
        self.init(limit: limit, per: period, clock: clock, waitingAtMost: .infinity)
    }

    /// - Parameter longestWait: The longest total wait of calls one after another, the limiter's own spacing included,
    ///   in seconds. A call that would exceed it is refused.
    package init(limit: Int, per period: TimeInterval, clock: Timekeeper, waitingAtMost longestWait: TimeInterval) {
        (self.limit, self.period, self.clock, self.longestWait) = (max(1, limit), period, clock, longestWait)
        alarm = Alarm(clock)
        state = Locked(
            State(window: SlidingWindow(limit: self.limit, period: period, longestClosing: max(period, 3600))))
    }

    /// The number of requests that may be sent right now.
    public var available: Int {
        let now = clock.uptime()
        return state.withLock { $0.window.available(now: now) ?? limit }
    }

    /// Returns a promise that is fulfilled when the next request may be sent. It rejects with ``GateClosed`` once the
    /// wait for what the service announces is known to exceed `longest`, which doesn't limit the spacing.
    ///
    /// - Parameter onWait: Called with the seconds of a wait, as far as they are known, before it begins.
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

    /// Adds a wait that a call does on its own to those of all calls; false if they would exceed the longest.
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

    /// Records the outcome of an attempt. `closing` is the number of seconds for which no other request is to be sent.
    func record(_ attempt: Attempt, closing: TimeInterval?) {
        update { state, now in
            if attempt.showsRoom { _ = state.window.succeed(now: now) }
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
            // Some clocks are early.
            if let set = alarm.plan(opening, { self.update(at: opening) }) { effects.append(set) }
            return effects
        }
        for perform in effects { perform() }
    }

    /// Refuses the calls that will not wait as long as the service now announces.
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
    public var description: String { "RateLimiter(\(limit) in \(period) s)" }
}
