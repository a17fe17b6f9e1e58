import Foundation
import Pledge

/// Decides when a request may be sent, and whether it is sent again: the limits and retries of a single client, or the
/// schedule of a batch.
package protocol RequestGate: Sendable {
    /// - Parameter mayRepeat: Whether sending the request twice has the same effect as once.
    func enter(mayRepeat: Bool) -> any GatedRequest
}

/// A request at a gate, from its first permit to the outcome that is its result.
package protocol GatedRequest: Sendable {
    /// Returns a promise that is fulfilled when the request may be sent, for the first time or again.
    ///
    /// - Rejects: With ``GateClosed``, or a reason of the gate's own.
    /// - Cancellation: Gives up waiting.
    func permit() -> Promise<Void>

    /// Records the outcome of an attempt.
    ///
    /// - Parameter seconds: The duration of the attempt.
    /// - Returns: The seconds before which the request is not sent again; nil if that is its result.
    func record(_ attempt: Attempt, _ exchange: SentRequest, seconds: TimeInterval) -> TimeInterval?
}

/// A request as sent, and what became of it.
package struct SentRequest: Sendable {
    package var request: OutgoingRequest
    package var outcome: Result<HTTPReply, any Error>
}

/// The error of a request that would have to wait too long because of what the service announced.
package struct GateClosed: Error {
    package var seconds: TimeInterval
}

/// The attempts of a request so far.
package struct AttemptCount: Sendable {
    fileprivate var troubled = 0
    fileprivate var limited = 0
    fileprivate var garbled = 0

    package init() {}
}

extension RetryRule {
    /// What follows from an attempt.
    package struct Verdict: Sendable {
        /// The seconds for which no request with the token is sent; nil if others are not affected.
        package var closing: TimeInterval?
        /// The seconds before the request is sent again; nil if that is its result.
        package var pause: TimeInterval?
    }

    /// The seconds for which a 429 that specifies none holds back other requests, unless ``limitDelay`` does.
    private static let bareWait: TimeInterval = 60

    /// Decides what follows from an attempt.
    ///
    /// - Parameters:
    ///   - count: The earlier attempts, to which this one is added.
    ///   - waited: The seconds waited so far.
    ///   - mayRepeat: Whether sending the request twice has the same effect as once. One that was refused with 429, or
    ///     that no connection could be made for, has had no effect, so it is never a repetition.
    package func verdict(
        on attempt: Attempt, _ count: inout AttemptCount, waited: TimeInterval, mayRepeat: Bool,
        random: (ClosedRange<TimeInterval>) -> TimeInterval
    ) -> Verdict {
        var verdict = Verdict(closing: attempt.closes)
        var pause: TimeInterval?
        switch attempt.outcome {
        case .answered, .unclear: break
        case .limited(let asked):
            // A service that repeatedly specifies no wait at all is not taken literally.
            let shortest = min(exp2(TimeInterval(count.limited)), 60)
            count.limited += 1
            let closing = max(asked ?? limitDelay ?? Self.bareWait, shortest)
            verdict.closing = max(verdict.closing ?? 0, closing)
            if asked != nil || limitDelay != nil { pause = closing }
        case .trouble(_, let asked):
            count.troubled += 1
            if mayRepeat || attempt.isUnsent {
                pause = asked ?? random(0...longestPause(after: count.troubled))
            }
        case .garbled:
            count.garbled += 1
            if mayRepeat, count.garbled == 1 { pause = random(0...longestPause(after: 1)) }
        }
        let counted = count.troubled + count.garbled + (countsLimits ? count.limited : 0)
        guard counted < attempts, attempt.status.map(statuses.contains) ?? true, let pause,
            waited + pause <= longestWait
        else { return verdict }
        verdict.pause = pause
        return verdict
    }
}
