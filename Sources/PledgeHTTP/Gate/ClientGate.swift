import Foundation
import Pledge
import PledgeCoding

/// The gate for a single request of a client. The client's limiter and retry rule decide when the request is sent.
final class ClientGate: RequestGate {
    private struct State {
        var count = AttemptCount()
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

    func permit(after pause: RetryPause?, onWait: @escaping @Sendable (TimeInterval) -> Void) -> Promise<Void> {
        guard let pause, pause.seconds > 0 else { return limit(onWait) }
        state.withLock { $0.waited += pause.seconds }
        return after(seconds: pause.seconds, timekeeper: clock).then(on: nil) { self.limit(onWait) }
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

    func record(_ attempt: AttemptOutcome, _ sent: SentRequest, seconds: TimeInterval) -> RetryPause? {
        let verdict = state.withLock { state in
            var verdict = rule.verdict(
                on: attempt, &state.count, waited: state.waited, mayRepeat: mayRepeat, random: rule.random)
            // The limiter has a maximum for the total time that all its calls wait. The pause counts toward that total.
            // If the total would exceed the maximum, the request is not repeated.
            if attempt.kind == .limited, let pause = verdict.pause, limiter?.addWait(pause) == false {
                verdict.pause = nil
            }
            return verdict
        }
        limiter?.record(attempt, closing: verdict.closing)
        // The permit is released only after the lock. Releasing the permit lets other calls go on at once, and they
        // must not run while the lock is held.
        withExtendedLifetime(state.withLock { $0.permit.take() }) {}
        return verdict.pause.map { RetryPause(seconds: $0, isForLimit: attempt.kind == .limited) }
    }
}
