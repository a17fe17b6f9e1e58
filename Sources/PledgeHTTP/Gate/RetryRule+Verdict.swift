import Foundation

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

    /// Decides what follows from an attempt, which is added to `count`, after `waited` seconds of waiting. If
    /// `mayRepeat`, sending the request twice has the same effect as once. A request that a limit refused, or for which
    /// no connection could be made, has had no effect, so it may be sent again in any case.
    package func verdict(
        on attempt: Attempt, _ count: inout AttemptCount, waited: TimeInterval, mayRepeat: Bool,
        random: (ClosedRange<TimeInterval>) -> TimeInterval
    ) -> Verdict {
        var verdict = Verdict(closing: attempt.closes)
        var pause: TimeInterval?
        switch attempt.outcome {
        case .unclear: break
        case .answered:
            guard let status = attempt.status, statuses.contains(status) else { break }
            count.troubled += 1
            if mayRepeat { pause = attempt.asked ?? random(0...longestPause(after: count.troubled)) }
        case .limited:
            // A service that repeatedly specifies no wait at all is not taken literally.
            let shortest = min(exp2(TimeInterval(count.limited)), 60)
            count.limited += 1
            let closing = max(attempt.asked ?? limitDelay ?? Self.bareWait, shortest)
            verdict.closing = max(verdict.closing ?? 0, closing)
            if attempt.asked != nil || limitDelay != nil { pause = closing }
        case .fault, .unsent:
            count.troubled += 1
            if mayRepeat || attempt.outcome == .unsent {
                pause = attempt.asked ?? random(0...longestPause(after: count.troubled))
            }
        case .garbled:
            count.garbled += 1
            if mayRepeat, count.garbled == 1 { pause = random(0...longestPause(after: 1)) }
        }
        let counted = count.troubled + count.garbled + (countsLimits ? count.limited : 0)
        // A 403 that announces a limit means what a 429 means.
        let isRetried =
            attempt.status.map { statuses.contains($0) || attempt.outcome == .limited && statuses.contains(429) }
            ?? true
        guard counted < attempts, isRetried, let pause, waited + pause <= longestWait else { return verdict }
        verdict.pause = pause
        return verdict
    }
}
