/// The requests that a token has left: those of a sliding period, unless the service permits none at all. A pure value,
/// without clocks or promises. Times are in seconds, by a clock that never jumps.
package struct SlidingWindow: Sendable {
    /// The number of requests in any period; nil if the service announces its limit.
    private let limit: Int?
    private let period: Double
    /// The longest time for which a service's announcement is believed.
    private let longestClosing: Double
    /// The times of the requests of the last period, oldest first.
    private var sent: [Double] = []
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

    package init(limit: Int?, period: Double, longestClosing: Double) {
        self.limit = limit.map { max(1, $0) }
        // A period of NaN, which would never end, becomes 0.
        self.period = min(max(0, period), 1e9)
        self.longestClosing = max(0, longestClosing)
    }

    package func isClosed(now: Double) -> Bool { closedUntil > now }

    /// The number of requests that may be sent now; nil if only the service knows.
    package func available(now: Double) -> Int? {
        if isClosed(now: now) { return 0 }
        return limit.map { $0 - reserved - sent.count { $0 + period > now } }
    }

    package mutating func hasRoom(now: Double) -> Bool {
        guard !isClosed(now: now), trialUntil <= now, !(needsTrial && reserved > 0) else { return false }
        guard let limit else { return true }
        sent.removeFirst(sent.prefix { $0 + period <= now }.count)
        return sent.count + reserved < limit
    }

    /// Returns the time at which a request with this many others ahead of it can be sent, as far as is known.
    package func opening(after ahead: Int, now: Double) -> Double {
        let untried = needsTrial && reserved > 0 ? now + Self.trial : now
        let earliest = max(untried, closedUntil, trialUntil)
        guard let limit else { return earliest }
        let index = sent.count + reserved + ahead - limit
        // A request goes a period after the one that is `limit` before it, which may have yet to be sent itself.
        let rounds = index < sent.count ? 0 : 1 + (index - sent.count) / limit
        let first = index - rounds * limit
        return (first < 0 ? earliest : max(earliest, sent[first] + period)) + period * Double(rounds)
    }

    /// Permits a request that has yet to be sent.
    package mutating func reserve() { reserved += 1 }

    /// Takes back a permitted request, which will not be sent.
    package mutating func takeBack() { reserved -= 1 }

    /// Records that a permitted request is sent.
    package mutating func send(now: Double) {
        reserved -= 1
        if limit != nil { sent.append(now) }
        if needsTrial { (needsTrial, trialUntil) = (false, now + Self.trial) }
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
        let (last, count) = (sent.last ?? -.infinity, sent.count { $0 + period > now })
        let end = max(count > 0 ? last + period : -.infinity, closedUntil)
        guard end > now else { return nil }
        return Remembered(
            last: last, count: count, closedUntil: isClosed(now: now) ? closedUntil : -.infinity, end: end)
    }

    package mutating func recall(_ remembered: Remembered) {
        sent = Array(repeating: remembered.last, count: remembered.count)
        (closedUntil, needsTrial) = (remembered.closedUntil, remembered.closedUntil > -.infinity)
    }
}
