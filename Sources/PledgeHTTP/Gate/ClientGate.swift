import Foundation
import Pledge

/// A request at the gate of a single client: the limiter of its token, and its retry rule.
final class ClientGate: GatedRequest {
    private struct State {
        var count = AttemptCount()
        var pause: TimeInterval = 0
        /// The limiter's permit for the request that is under way.
        var permit: RateLimiter.Permit?
        /// The seconds waited so far, for retries and for what the service announced.
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
        (self.limiter, self.rule, self.clock, self.mayRepeat) = (limiter, rule, clock, mayRepeat)
    }

    func permit() -> Promise<Void> {
        let pause = state.withLock { state in
            defer { (state.waited, state.pause) = (state.waited + state.pause, 0) }
            return state.pause
        }
        guard pause > 0 else { return limit() }
        return after(seconds: pause, timekeeper: clock).then(on: nil) { self.limit() }
    }

    private func limit() -> Promise<Void> {
        guard let limiter else { return Self.open }
        let allowed = rule.longestWait - state.withLock(\.waited)
        return limiter.permit(waitingAtMost: allowed).map(on: nil) { permit in
            self.state.withLock { state in
                state.permit = permit
                state.waited += permit.waited
            }
        }
    }

    func record(_ attempt: Attempt, _ sent: SentRequest, seconds: TimeInterval) -> TimeInterval? {
        let verdict = state.withLock { state in
            let verdict = rule.verdict(
                on: attempt, &state.count, waited: state.waited, mayRepeat: mayRepeat, random: rule.random)
            state.pause = verdict.pause ?? 0
            return verdict
        }
        limiter?.record(attempt, closing: verdict.closing)
        // Released without the lock: that permits other calls, which go on at once.
        withExtendedLifetime(state.withLock { $0.permit.take() }) {}
        return verdict.pause
    }
}
