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

    private let limit: Int
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

    /// - Parameter longestWait: The maximum sum of the waits of all calls, in seconds. It includes waits for the
    ///   limiter's own spacing. A call that would exceed the maximum is refused.
    package init(limit: Int, per period: TimeInterval, clock: Timekeeper, waitingAtMost longestWait: TimeInterval) {
        self.limit = max(1, limit)
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
        return state.withLock { $0.window.available(now: now) ?? limit }
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
    public var description: String { "RateLimiter(\(limit) in \(period) s)" }
}

/// A service's rate limit, as announced in its most recent response.
public struct RateLimit: Sendable, Equatable {
    /// The number of requests allowed per period; nil if not announced.
    public var limit: Int?
    /// The number of requests left in this period; nil if not announced. If it is 0, a ``RateLimiter`` sends no request
    /// before ``resetsAt``.
    public var remaining: Int?
    /// The time at which the next period begins; nil if not announced.
    public var resetsAt: Date?

    /// Creates a rate limit, for ``EndpointClient/Options/limits`` or a test.
    public init(limit: Int?, remaining: Int?, resetsAt: Date?) {
        self.limit = limit
        self.remaining = remaining
        self.resetsAt = resetsAt
    }

    /// Creates a limit from the headers that services usually send; nil if there are no such headers.
    ///
    /// There are four families of headers. If a response has several of them, only the first one in this list counts:
    /// - `RateLimit` with `RateLimit-Policy`, as the IETF's drafts define them.
    /// - `RateLimit-Limit`, `RateLimit-Remaining`, and `RateLimit-Reset`.
    /// - The same three with the prefix `X-RateLimit-`.
    /// - The same three with the prefix `X-Rate-Limit-`.
    ///
    /// If a service announces several limits, the one with the fewest requests left counts. If several limits have
    /// equally few left, the one that ends last counts. The time of a reset may be a number of seconds from now, or a
    /// time since 1970 in seconds or milliseconds.
    public init?(_ headers: HeaderFields, now: Date) {
        let families = ["RateLimit-", "X-RateLimit-", "X-Rate-Limit-"]
        guard
            let found = RateLimit(structured: headers, now: now)
                ?? families.lazy.compactMap({ RateLimit(headers, prefix: $0, now: now) }).first
        else { return nil }
        self = found
    }

    /// Reads the three headers of a family. Each of them has one of the numbers.
    private init?(_ headers: HeaderFields, prefix: String, now: Date) {
        // Some services append the period to the number: `100, 100;w=60`.
        func number(_ name: String) -> Int? {
            headers[prefix + name].flatMap { Int($0.prefix { $0 != "," && $0 != ";" }) }
        }
        limit = number("Limit")
        remaining = number("Remaining")
        resetsAt = headers[prefix + "Reset"].flatMap { RetryAfter.seconds($0, now: now) }.map(now.addingTimeInterval)
        if limit == nil, remaining == nil, resetsAt == nil { return nil }
    }

    /// Reads `RateLimit: "hour";r=0;t=30` with `RateLimit-Policy: "hour";q=100;w=3600`, or an earlier draft's
    /// `RateLimit: limit=100, remaining=0, reset=30`.
    private init?(structured headers: HeaderFields, now: Date) {
        guard let text = headers["RateLimit"] else { return nil }
        func resetsAt(_ text: String?) -> Date? {
            text.flatMap { RetryAfter.seconds($0, now: now) }.map(now.addingTimeInterval)
        }
        let items = Self.items(text)
        let policies = Self.items(headers["RateLimit-Policy"] ?? "")
        let limits = items.compactMap { item -> RateLimit? in
            guard let remaining = item.values["r"].flatMap({ Int($0) }) else { return nil }
            let policy = policies.first { $0.name == item.name }
            return RateLimit(
                limit: policy?.values["q"].flatMap { Int($0) }, remaining: remaining,
                resetsAt: resetsAt(item.values["t"]))
        }
        let nearest = limits.min {
            ($0.remaining ?? 0, $1.resetsAt ?? .distantPast) < ($1.remaining ?? 0, $0.resetsAt ?? .distantPast)
        }
        if let nearest {
            self = nearest
            return
        }
        let values = items.reduce(into: [:]) { $0.merge($1.values) { first, _ in first } }
        limit = values["limit"].flatMap { Int($0) }
        remaining = values["remaining"].flatMap { Int($0) }
        self.resetsAt = resetsAt(values["reset"])
        if limit == nil, remaining == nil, self.resetsAt == nil { return nil }
    }

    /// Returns the members of a list such as `"hour";q=100;w=3600, "day";q=1000`, with the parameters of each. The
    /// names of limits must contain neither a comma nor a semicolon.
    private static func items(_ text: String) -> [(name: Substring, values: [Substring: String])] {
        text.split(separator: ",").map { item in
            let parts = item.split(separator: ";").map { $0.drop { $0 == " " } }
            let pairs = parts.map { $0.split(separator: "=", maxSplits: 1) }.filter { $0.count == 2 }
            let values = pairs.map { ($0[0], $0[1].filter { $0 != "\"" && $0 != " " }) }
            return (parts.first ?? "", Dictionary(values) { first, _ in first })
        }
    }
}

/// Counts the requests of a token in a sliding period, and so determines whether another request may be sent. While the
/// service permits no requests at all, no request may be sent.
///
/// The window is a pure value without clocks or promises. Times are in seconds, by a clock that never jumps.
///
/// The service counts a request when it arrives, which may be at any time from its permit to its response. So a request
/// counts while it is under way, and for one more period.
package struct SlidingWindow: Sendable {
    /// The number of requests in any period; nil if the service announces its limit, or the period is 0.
    private let limit: Int?
    private let period: Double
    /// The longest time for which the window believes the service's announcement that it permits no request.
    private let longestClosing: Double
    /// The times at which the requests of the last period ended, oldest first.
    private var ended: [Double] = []
    /// The times at which the requests under way were sent, oldest first.
    private var underWay: [Double] = []
    /// The number of permitted requests that have not been sent yet.
    private var reserved = 0
    /// The time before which the service permits no request.
    package private(set) var closedUntil = -Double.infinity
    /// Whether there was a time after the last request in which the service permitted no request. The next request is
    /// then sent alone, because the service may still refuse it.
    private var needsTrial = false
    /// The time until which other requests are held back because one request was sent alone. They are sent earlier if
    /// that request succeeds.
    private var trialUntil = -Double.infinity

    /// The number of seconds for which a request that is sent alone holds back other requests, unless the service
    /// responds earlier. A request is sent alone after a time in which the service permitted no request.
    private static let trial = 5.0
    /// The seconds after which a request without a response is assumed to have arrived at the service. Long downloads,
    /// and requests that nobody waits for any more, hold up other requests no longer than this.
    private static let longestJourney = 30.0

    package init(limit: Int?, period: Double, longestClosing: Double) {
        // A period of NaN would never end, so it becomes 0.
        self.period = min(max(0, period), 1e9)
        self.limit = self.period > 0 ? limit.map { max(1, $0) } : nil
        self.longestClosing = max(0, longestClosing)
    }

    package func isClosed(now: Double) -> Bool { closedUntil > now }

    /// The number of requests that may be sent now; nil if only the service knows that.
    package func available(now: Double) -> Int? {
        if isClosed(now: now) { return 0 }
        return limit.map { $0 - reserved - counted(now: now) }
    }

    /// The number of requests that still count toward the limit.
    private func counted(now: Double) -> Int {
        underWay.count { $0 + Self.longestJourney + period > now } + ended.count { $0 + period > now }
    }

    package mutating func hasRoom(now: Double) -> Bool {
        guard !isClosed(now: now), trialUntil <= now, !(needsTrial && reserved > 0) else { return false }
        guard let limit else { return true }
        while let sent = underWay.first, sent + Self.longestJourney <= now {
            end(sentAt: sent, now: now)
        }
        ended.removeFirst(ended.prefix { $0 + period <= now }.count)
        return ended.count + underWay.count + reserved < limit
    }

    /// Returns the time at which a request can be sent if this many others are ahead of it. The time is an estimate
    /// that assumes that the requests under way end now.
    package func opening(after ahead: Int, now: Double) -> Double {
        let untried = needsTrial && reserved > 0 ? now + Self.trial : now
        let earliest = max(untried, closedUntil, trialUntil)
        guard let limit else { return earliest }
        let known = ended.count + underWay.count
        let index = known + reserved + ahead - limit
        // A request can be sent one period after the request that is `limit` places ahead of it. If that request has
        // not been sent yet, the same rule applies to it first.
        let rounds = index < known ? 0 : 1 + (index - known) / limit
        let first = index - rounds * limit
        let end: Double =
            switch first {
            case ..<0: -.infinity
            case ..<ended.count: ended[first]
            default: min(now, underWay[first - ended.count] + Self.longestJourney)
            }
        return max(earliest, end + period) + period * Double(rounds)
    }

    /// Returns the time at which to check again whether a request may be sent. If a request ends before that time, the
    /// check is due at once.
    package func nextLook(now: Double) -> Double {
        guard let limit, let first = underWay.first, underWay.count + reserved >= limit else {
            return opening(after: 0, now: now)
        }
        return max(closedUntil, first + Self.longestJourney)
    }

    /// Reserves a place in the window for a request that is permitted now and sent later.
    package mutating func reserve() { reserved += 1 }

    /// Takes back the reservation of a request that will not be sent.
    package mutating func takeBack() { reserved -= 1 }

    /// Records that a permitted request is sent.
    package mutating func send(now: Double) {
        reserved -= 1
        if limit != nil { underWay.append(now) }
        if needsTrial { (needsTrial, trialUntil) = (false, now + Self.trial) }
    }

    /// Records the end of the request that was sent at `time`: its response was received, or nobody waits for it any
    /// more.
    package mutating func end(sentAt time: Double, now: Double) {
        // The request is not found if `longestJourney` has passed since it was sent, because it has already been
        // counted as ended.
        guard let index = underWay.firstIndex(of: time) else { return }
        underWay.remove(at: index)
        let end = min(now, time + Self.longestJourney)
        ended.insert(end, at: ended.lastIndex { $0 <= end }.map { $0 + 1 } ?? 0)
    }

    /// Records that the service permits no request for some time. Returns whether that time ends later than was known
    /// before. An earlier end is ignored, because the response that announces it may only be late.
    package mutating func close(for seconds: Double, now: Double) -> Bool {
        let time = now + min(seconds, longestClosing)
        guard seconds > 0, time > closedUntil else { return false }
        closedUntil = time
        needsTrial = true
        trialUntil = -.infinity
        return true
    }

    /// Records that the service did not refuse a request. Returns whether other requests may have waited for this
    /// success.
    package mutating func succeed(now: Double) -> Bool {
        defer { trialUntil = -.infinity }
        return trialUntil > now
    }

    /// What is remembered of a window while no item of a batch uses its token. When the window is restored, all
    /// requests count as if they had been sent together with the last one.
    package struct Remembered: Sendable {
        fileprivate var last: Double
        fileprivate var count: Int
        fileprivate var closedUntil: Double
        /// The time after which this record has no effect.
        package let end: Double
    }

    package func remembered(now: Double) -> Remembered? {
        let last = underWay.isEmpty ? ended.last ?? -.infinity : now
        let count = counted(now: now)
        let end = max(count > 0 ? last + period : -.infinity, closedUntil)
        guard end > now else { return nil }
        return Remembered(
            last: last, count: count, closedUntil: isClosed(now: now) ? closedUntil : -.infinity, end: end)
    }

    package mutating func recall(_ remembered: Remembered) {
        ended = Array(repeating: remembered.last, count: remembered.count)
        closedUntil = remembered.closedUntil
        needsTrial = remembered.closedUntil > -.infinity
    }
}
