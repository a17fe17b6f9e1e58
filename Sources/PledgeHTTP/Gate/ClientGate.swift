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

    func record(_ attempt: Attempt, _ sent: SentRequest, seconds: TimeInterval) -> TimeInterval? {
        let verdict = state.withLock { state in
            var verdict = rule.verdict(
                on: attempt, &state.count, waited: state.waited, mayRepeat: mayRepeat, random: rule.random)
            // The wait for a limit counts toward all that the limiter's calls may wait.
            if attempt.outcome == .limited, let pause = verdict.pause, limiter?.addWait(pause) == false {
                verdict.pause = nil
            }
            state.pause = verdict.pause ?? 0
            return verdict
        }
        limiter?.record(attempt, closing: verdict.closing)
        // Released without the lock: that permits other calls, which go on at once.
        withExtendedLifetime(state.withLock { $0.permit.take() }) {}
        return verdict.pause
    }
}
