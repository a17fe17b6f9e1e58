import Foundation
import Pledge

/// The gate of a single client: the limiter of its token, and its retry rule.
struct ClientGate: RequestGate {
    let limiter: RateLimiter?
    let rule: RetryRule
    let clock: Timekeeper

    func enter(mayRepeat: Bool) -> any GatedRequest { ClientRequest(self, mayRepeat) }

    private final class ClientRequest: GatedRequest {
        private struct State {
            var count = AttemptCount()
            var pause: TimeInterval = 0
            /// The seconds waited so far, for retries and for what the service announced.
            var waited: TimeInterval = 0
        }

        private static let open = Promise.value(())

        private let gate: ClientGate
        private let mayRepeat: Bool
        private let state = Locked(State())

        init(_ gate: ClientGate, _ mayRepeat: Bool) { (self.gate, self.mayRepeat) = (gate, mayRepeat) }

        func permit() -> Promise<Void> {
            let pause = state.withLock { state in
                defer { (state.waited, state.pause) = (state.waited + state.pause, 0) }
                return state.pause
            }
            guard pause > 0 else { return limit() }
            return after(seconds: pause, timekeeper: gate.clock).then(on: nil) { self.limit() }
        }

        private func limit() -> Promise<Void> {
            guard let limiter = gate.limiter else { return Self.open }
            let allowed = gate.rule.longestWait - state.withLock(\.waited)
            return limiter.permit(waitingAtMost: allowed).map(on: nil) { waited in
                self.state.withLock { $0.waited += waited }
            }
        }

        func record(_ attempt: Attempt, _ exchange: SentRequest, seconds: TimeInterval) -> TimeInterval? {
            let verdict = state.withLock { state in
                let verdict = gate.rule.verdict(
                    on: attempt, &state.count, waited: state.waited, mayRepeat: mayRepeat, random: gate.rule.random)
                state.pause = verdict.pause ?? 0
                return verdict
            }
            gate.limiter?.record(attempt, closing: verdict.closing)
            return verdict.pause
        }
    }
}
