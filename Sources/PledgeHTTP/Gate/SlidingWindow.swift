/// The requests that a token has left: those of a sliding period, unless the service permits none at all. A pure value,
/// without clocks or promises. Times are in seconds, by a clock that never jumps.
///
/// The service counts a request when it arrives, which may be at any time from its permit to its response. So a request
/// counts while it is under way, and for a period after that.
package struct SlidingWindow: Sendable {
    /// The number of requests in any period; nil if the service announces its limit, or the period is 0.
    private let limit: Int?
    private let period: Double
    /// The longest time for which a service's announcement is believed.
    private let longestClosing: Double
    /// The times at which the requests of the last period ended, oldest first.
    private var ended: [Double] = []
    /// The times at which the requests that are under way were sent, oldest first.
    private var underWay: [Double] = []
    /// The number of permitted requests that have yet to be sent.
    private var reserved = 0
    /// The time before which the service permits no request.
    package private(set) var closedUntil = -Double.infinity
    /// Whether it was closed since the last request: the next is sent alone, as the service may refuse it as well.
    private var needsTrial = false
    /// The time before which no other request follows the trial, unless that one succeeds.
    private var trialUntil = -Double.infinity

    /// The seconds between the first request after a closing and the next, unless the service responds to it before.
    private static let trial = 5.0
    /// The seconds after which a request without a response has arrived for certain. Long downloads, and requests that
    /// nobody waits for any more, do not hold up others for longer.
    private static let longestJourney = 30.0

    package init(limit: Int?, period: Double, longestClosing: Double) {
        // A period of NaN, which would never end, becomes 0.
        self.period = min(max(0, period), 1e9)
        self.limit = self.period > 0 ? limit.map { max(1, $0) } : nil
        self.longestClosing = max(0, longestClosing)
    }

    package func isClosed(now: Double) -> Bool { closedUntil > now }

    /// The number of requests that may be sent now; nil if only the service knows.
    package func available(now: Double) -> Int? {
        if isClosed(now: now) { return 0 }
        return limit.map { $0 - reserved - counted(now: now) }
    }

    /// The number of requests that still count.
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

    /// Returns the time at which a request with this many others ahead of it can be sent, as far as is known: if those
    /// under way ended now.
    package func opening(after ahead: Int, now: Double) -> Double {
        let untried = needsTrial && reserved > 0 ? now + Self.trial : now
        let earliest = max(untried, closedUntil, trialUntil)
        guard let limit else { return earliest }
        let known = ended.count + underWay.count
        let index = known + reserved + ahead - limit
        // A request goes a period after the one that is `limit` before it, which may have yet to be sent itself.
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

    /// Returns the time at which to look again whether there is room, unless a request ends before.
    package func nextLook(now: Double) -> Double {
        guard let limit, let first = underWay.first, underWay.count + reserved >= limit else {
            return opening(after: 0, now: now)
        }
        return max(closedUntil, first + Self.longestJourney)
    }

    /// Permits a request that has yet to be sent.
    package mutating func reserve() { reserved += 1 }

    /// Takes back a permitted request, which will not be sent.
    package mutating func takeBack() { reserved -= 1 }

    /// Records that a permitted request is sent.
    package mutating func send(now: Double) {
        reserved -= 1
        if limit != nil { underWay.append(now) }
        if needsTrial { (needsTrial, trialUntil) = (false, now + Self.trial) }
    }

    /// Records that a request that was sent at this time has ended: with its response, or because nobody waits for it.
    package mutating func end(sentAt time: Double, now: Double) {
        // Not found if its journey was over before.
        guard let index = underWay.firstIndex(of: time) else { return }
        underWay.remove(at: index)
        let end = min(now, time + Self.longestJourney)
        ended.insert(end, at: ended.lastIndex { $0 <= end }.map { $0 + 1 } ?? 0)
    }

    /// Closes it for some time; a late response never shortens that. Returns whether it opens later than before.
    package mutating func close(for seconds: Double, now: Double) -> Bool {
        let time = now + min(seconds, longestClosing)
        guard seconds > 0, time > closedUntil else { return false }
        (closedUntil, needsTrial, trialUntil) = (time, true, -.infinity)
        return true
    }

    /// Records that a request was not refused. Returns whether others may have waited for that.
    package mutating func succeed(now: Double) -> Bool {
        defer { trialUntil = -.infinity }
        return trialUntil > now
    }

    /// The record of a token that is currently unused: as if all requests had been sent with the last.
    package struct Remembered: Sendable {
        fileprivate var last: Double
        fileprivate var count: Int
        fileprivate var closedUntil: Double
        /// The time after which this record has no effect.
        package let end: Double
    }

    package func remembered(now: Double) -> Remembered? {
        let (last, count) = (underWay.isEmpty ? ended.last ?? -.infinity : now, counted(now: now))
        let end = max(count > 0 ? last + period : -.infinity, closedUntil)
        guard end > now else { return nil }
        return Remembered(
            last: last, count: count, closedUntil: isClosed(now: now) ? closedUntil : -.infinity, end: end)
    }

    package mutating func recall(_ remembered: Remembered) {
        ended = Array(repeating: remembered.last, count: remembered.count)
        (closedUntil, needsTrial) = (remembered.closedUntil, remembered.closedUntil > -.infinity)
    }
}
