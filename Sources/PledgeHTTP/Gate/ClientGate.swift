import Foundation
import Pledge
import PledgeCoding

/// A request that has to pass a gate before each of its attempts.
///
/// The gate decides when the request may be sent, and whether it is sent again. For a single client, the gate follows
/// the client's limiter and retry rule. In a batch, it follows the schedule of the batch.
package protocol GatedRequest: Sendable {
    /// Returns a promise that is fulfilled when the request may be sent, for the first time or again.
    ///
    /// - Parameter onWait: Called before a wait for a limit, with the number of seconds, if the gate knows it.
    /// - Rejects: With ``GateClosed`` if the request would have to wait too long for a limit; with ``GateGaveUp`` if
    ///   the request was sent before and is not sent again; or with another error of the gate.
    func permit(onWait: @escaping @Sendable (TimeInterval) -> Void) -> Promise<Void>

    /// Records the outcome and the duration of an attempt. Returns the number of seconds after which the request may be
    /// sent again; nil if the outcome is the request's result.
    func record(_ attempt: AttemptOutcome, _ sent: SentRequest, seconds: TimeInterval) -> TimeInterval?
}

/// A wait before a request is sent: how long it takes, in seconds, and why.
package struct RequestWait: Sendable {
    /// The shortest wait that is announced, in seconds.
    package static let shortestAnnounced = 5.0

    package enum Reason: Sendable, Equatable {
        /// The service, or the client's own limiter, permits no request until the end of the wait.
        case limit
        /// The service answered the last attempt with this status code, and the request is repeated.
        case status(Int)
        /// The last attempt had no response, and the request is repeated.
        case noResponse
        /// The client has waited for a token for this many seconds. The wait may take longer.
        case token
    }

    package var seconds: TimeInterval
    package var reason: Reason

    package init(seconds: TimeInterval, reason: Reason) { (self.seconds, self.reason) = (seconds, reason) }
}

/// A request that was sent, and the response or the transport's error.
package struct SentRequest: Sendable {
    package var request: OutgoingRequest
    package var result: Result<RawResponse, any Error>
    /// The request's token, if the token can be renewed.
    var credential: SentCredential?

    package var response: RawResponse? { try? result.get() }
}

/// The error of a request that would have to wait for a limit longer than it is allowed to.
package struct GateClosed: Error {
    package var seconds: TimeInterval

    package init(seconds: TimeInterval) { self.seconds = seconds }
}

/// The error of a request that waited for another attempt, but is not sent again. The outcome of the last attempt is
/// then the request's result.
package struct GateGaveUp: Error {
    package init() {}
}

/// The gate for a single request of a client. The client's limiter and retry rule decide when the request is sent.
final class ClientGate: GatedRequest {
    private struct State {
        var count = AttemptCount()
        var pause: TimeInterval = 0
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

    func record(_ attempt: AttemptOutcome, _ sent: SentRequest, seconds: TimeInterval) -> TimeInterval? {
        let verdict = state.withLock { state in
            var verdict = rule.verdict(
                on: attempt, &state.count, waited: state.waited, mayRepeat: mayRepeat, random: rule.random)
            // The limiter has a maximum for the total time that all its calls wait. The pause counts toward that total.
            // If the total would exceed the maximum, the request is not repeated.
            if attempt.kind == .limited, let pause = verdict.pause, limiter?.addWait(pause) == false {
                verdict.pause = nil
            }
            state.pause = verdict.pause ?? 0
            return verdict
        }
        limiter?.record(attempt, closing: verdict.closing)
        // The permit is released only after the lock. Releasing the permit lets other calls go on at once, and they
        // must not run while the lock is held.
        withExtendedLifetime(state.withLock { $0.permit.take() }) {}
        return verdict.pause
    }
}

/// A rule that determines when a failed request is retried, and how long to wait first.
///
/// A request that is not safe to repeat is retried only if it had no effect: because a limit refused it, or because no
/// connection could be made. If a response does not come from the service itself, such as a web page instead of JSON,
/// the request is retried once.
public struct RetryRule: Sendable {
    /// The maximum number of attempts, including the first.
    public var attempts: Int
    /// The upper bound of the first wait, in seconds. The bound doubles with each further wait. Each wait is a random
    /// time up to its bound, so that many clients do not retry at the same time.
    public var firstDelay: TimeInterval
    /// The maximum length of a single wait, in seconds. It does not apply to a wait that the service specifies.
    public var longestDelay: TimeInterval
    /// The maximum total time that a call may wait, in seconds. It includes the time during which a ``RateLimiter``
    /// holds the call back because the service permits no requests. If another wait would exceed the maximum, the call
    /// fails instead.
    public var longestWait: TimeInterval
    /// The status codes of failed responses after which a request is retried. For 429, see also ``limitDelay``.
    ///
    /// A 403 counts as a 429 if it announces a limit, either with `Retry-After`, or with a ``RateLimit`` that has no
    /// requests left.
    public var statuses: Set<Int>
    /// The wait after a 429 that does not specify a wait, in seconds. If this is nil, the call fails after such a 429,
    /// because a retry that comes too early would only use up the rate limit. For jobs that have time, set a long
    /// delay, and increase ``longestWait`` accordingly.
    public var limitDelay: TimeInterval?
    /// Whether an attempt that was refused with 429 counts toward ``attempts``.
    package var countsLimits = true
    /// A closure that returns a random number within a range. It determines the length of the random waits.
    public var random: @Sendable (ClosedRange<TimeInterval>) -> TimeInterval

    /// Creates a retry rule. The default values suit most services.
    public init(
        attempts: Int = 3, firstDelay: TimeInterval = 0.5, longestDelay: TimeInterval = 20,
        longestWait: TimeInterval = 60, statuses: Set<Int> = [408, 425, 429, 500, 502, 503, 504],
        limitDelay: TimeInterval? = nil,
        random: @escaping @Sendable (ClosedRange<TimeInterval>) -> TimeInterval = { .random(in: $0) }
    ) {
        self.attempts = attempts
        self.firstDelay = firstDelay
        self.longestDelay = longestDelay
        self.longestWait = longestWait
        self.statuses = statuses
        self.limitDelay = limitDelay
        self.random = random
    }

    /// A rule that never retries a request.
    public static let never = RetryRule(attempts: 1)

    /// The rule of both kits.
    package static let overload = RetryRule(statuses: [429, 502, 503, 504])

    /// Returns the upper bound of the wait after this many failed attempts, in seconds.
    func longestPause(after failures: Int) -> TimeInterval {
        max(0, min(longestDelay, firstDelay * exp2(TimeInterval(failures - 1)), 1e9))
    }
}

/// The numbers of failed attempts of a request so far, by their outcomes.
package struct AttemptCount: Sendable {
    fileprivate var troubled = 0
    fileprivate var limited = 0
    fileprivate var garbled = 0

    package init() {}
}

extension RetryRule {
    /// The consequences of an attempt.
    package struct Verdict: Sendable {
        /// The seconds for which no request with the token may be sent; nil if other requests are not affected.
        package var closing: TimeInterval?
        /// The seconds before the request is sent again; nil if the outcome of the attempt is the request's result.
        package var pause: TimeInterval?
    }

    /// The seconds for which other requests are held back after a 429 that does not specify a wait, if ``limitDelay``
    /// is nil.
    private static let bareWait: TimeInterval = 60

    /// Decides the consequences of an attempt, and adds the attempt to `count`.
    ///
    /// - Parameters:
    ///   - waited: The seconds that the request has waited so far.
    ///   - mayRepeat: Whether sending the request twice has the same effect as sending it once. If this is false, the
    ///     request may be sent again only if it had no effect: because a limit refused it, or because no connection
    ///     could be made.
    package func verdict(
        on attempt: AttemptOutcome, _ count: inout AttemptCount, waited: TimeInterval, mayRepeat: Bool,
        random: (ClosedRange<TimeInterval>) -> TimeInterval
    ) -> Verdict {
        var verdict = Verdict(closing: attempt.closes)
        var pause: TimeInterval?
        switch attempt.kind {
        case .unclear: break
        case .answered:
            guard let status = attempt.status, statuses.contains(status) else { break }
            count.troubled += 1
            if mayRepeat { pause = attempt.requestedWait ?? random(0...longestPause(after: count.troubled)) }
        case .limited:
            // The shortest wait doubles with each attempt, because a service may repeatedly ask for a wait of zero
            // seconds.
            let shortest = min(exp2(TimeInterval(count.limited)), 60)
            count.limited += 1
            let closing = max(attempt.requestedWait ?? limitDelay ?? Self.bareWait, shortest)
            verdict.closing = max(verdict.closing ?? 0, closing)
            if attempt.requestedWait != nil || limitDelay != nil { pause = closing }
        case .fault, .unsent:
            count.troubled += 1
            if mayRepeat || attempt.kind == .unsent {
                pause = attempt.requestedWait ?? random(0...longestPause(after: count.troubled))
            }
        case .garbled:
            count.garbled += 1
            if mayRepeat, count.garbled == 1 { pause = random(0...longestPause(after: 1)) }
        }
        let counted = count.troubled + count.garbled + (countsLimits ? count.limited : 0)
        // A 403 that announces a limit means the same as a 429.
        let isRetried =
            attempt.status.map { statuses.contains($0) || attempt.kind == .limited && statuses.contains(429) }
            ?? true
        guard counted < attempts, isRetried, let pause, waited + pause <= longestWait else { return verdict }
        verdict.pause = pause
        return verdict
    }
}

/// The wait that a service asks for in a response.
package enum RetryAfter {
    /// Returns the number of seconds that the header `Retry-After` specifies, as a number or as a date. Without the
    /// header, returns the number of seconds until the announced limit ends, but only if that limit is the reason why
    /// the service refused the request.
    package static func seconds(in response: RawResponse, _ announced: RateLimit?, now: Date) -> TimeInterval? {
        if let text = response.headers["Retry-After"] {
            if let seconds = seconds(text, now: now) { return seconds }
            if let date = HTTPDate.parse(text, now: now) { return bounded(date.timeIntervalSince(now)) }
        }
        let isLimit = response.status == 429 || response.status == 403 && announced?.remaining == 0
        return isLimit ? (announced?.resetsAt).map { bounded($0.timeIntervalSince(now)) } : nil
    }

    /// Parses a number of seconds. Returns nil for other text. Some services send a time since 1970 instead, in seconds
    /// or milliseconds. So a number that would stand for decades is read as such a time.
    static func seconds(_ text: String, now: Date) -> TimeInterval? {
        let digits = text.utf8.allSatisfy { 0x30...0x39 ~= $0 || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
        guard digits, let number = Double(text) else { return nil }
        guard number >= longest else { return bounded(number) }
        return bounded((number < longest * 1000 ? number : number / 1000) - now.timeIntervalSince1970)
    }

    /// Three decades, which is longer than any wait.
    private static let longest: TimeInterval = 1e9

    /// Returns the wait, limited to the range from 0 to ``longest``, because a server can send any number.
    private static func bounded(_ seconds: TimeInterval) -> TimeInterval { min(max(seconds, 0), longest) }
}

/// Parses dates such as `Sun, 06 Nov 1994 08:49:37 GMT`, and the two older forms that HTTP requires a client to accept:
/// `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`.
enum HTTPDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    /// The names of UTC in such dates. Only the first is correct, but the others are accepted, too.
    static let zones = ["GMT", "UTC", "Z", "+0000", "+00", "0000", "00"]

    static func parse(_ text: String, now: Date) -> Date? {
        var parts = text.split(whereSeparator: { " ,:-".contains($0) }).map(String.init)
        // The oldest form has the month before the day, the year at the end, and no zone.
        if parts.count == 7, months.contains(parts[1]) {
            parts = [parts[0], parts[2], parts[1], parts[6], parts[3], parts[4], parts[5], zones[0]]
        }
        guard parts.count == 8, zones.contains(parts[7]), let day = Int(parts[1]),
            let month = months.firstIndex(of: parts[2]), let written = Int(parts[3]), let hour = Int(parts[4]),
            let minute = Int(parts[5]), let second = Int(parts[6]),
            0..<24 ~= hour, 0..<60 ~= minute, 0...60 ~= second
        else { return nil }
        func date(in year: Int) -> Date? {
            CalendarDay.number(year: year, month: month + 1, day: day).map {
                Date(timeIntervalSince1970: Double((($0 * 24 + hour) * 60 + minute) * 60 + second))
            }
        }
        guard parts[3].utf8.count == 2 else { return date(in: written) }
        // A year of two digits stands for the latest year with these digits that is at most 50 years ahead (RFC 9110,
        // 5.6.7).
        let latest = now.addingTimeInterval(50 * 365.25 * 86_400)
        return [2000, 1900].compactMap { date(in: $0 + written) }.first { $0 <= latest }
    }
}
