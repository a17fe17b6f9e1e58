import Foundation

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
