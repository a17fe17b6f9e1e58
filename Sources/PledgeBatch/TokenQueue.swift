import Pledge
import PledgeCoding
import PledgeHTTP

// The part of the schedule that lets items wait for the rate limits of their tokens.
extension Schedule {
    mutating func waitForToken(_ item: Item, _ now: Double) {
        guard let entry = items[item], let ahead = tokens[entry.quota.token]?.waiting.count,
            let opening = tokens[entry.quota.token]?.window.opening(after: ahead, now: now)
        else { return }
        let seconds = opening - now
        guard entry.waited + seconds <= rules.longestWait else { return refuse(item, seconds: seconds) }
        guard park(item, .waitingForToken(since: now), now) else { return }
        tokens[entry.quota.token]?.waiting.append(item)
        if ahead == 0 { setAlarm(entry.quota.token, at: opening) }
    }

    mutating func close(_ token: HashKey, for seconds: Double, _ now: Double) {
        guard tokens[token]?.window.close(for: seconds, now: now) == true,
            let waiting = tokens[token]?.waiting.takeAll(), !waiting.isEmpty
        else { return }
        // The wait has become longer, so each item is checked again. An item that may not wait that long is refused
        // now.
        for item in waiting where endWaiting(item, now) { waitForToken(item, now) }
    }

    mutating func release(_ token: HashKey, _ now: Double) {
        while tokens[token]?.window.hasRoom(now: now) == true, let item = tokens[token]?.waiting.popFirst() {
            guard endWaiting(item, now), let service = items[item]?.quota.service else { continue }
            if self[service].isUp { makeReady(item) } else { admit(item, now) }
        }
        guard tokens[token]?.waiting.isEmpty == false, let next = tokens[token]?.window.opening(after: 0, now: now)
        else { return }
        setAlarm(token, at: max(next, now + 0.001))
    }

    /// Adds the time that the item has waited for its token to the item's total. Returns false if the item no longer
    /// waits.
    private mutating func endWaiting(_ item: Item, _ now: Double) -> Bool {
        guard case .waitingForToken(let since) = items[item]?.state else { return false }
        items[item]?.waited += now - since
        return true
    }

    /// Remembers the state of a token that no item uses any more. When there are many such records, those that no
    /// longer have an effect are removed.
    mutating func remember(_ window: SlidingWindow, of token: HashKey, _ now: Double) {
        unused[token] = window.remembered(now: now)
        guard unused.count > mostUnused else { return }
        unused = unused.filter { $0.value.end > now }
        mostUnused = max(Self.fewUnused, 2 * unused.count)
    }

    mutating func setAlarm(_ token: HashKey, at time: Double) {
        tokens[token]?.alarm = time
        timers.set(.token(token), at: time)
    }

    /// Records that one of the item's current requests has ended. The caller doesn't know which request it was, so this
    /// assumes that it was the one that was sent first.
    mutating func endRequest(of item: Item, _ now: Double) {
        guard let entry = items[item], let time = entry.sent.first else { return }
        items[item]?.sent.removeFirst()
        tokens[entry.quota.token]?.window.end(sentAt: time, now: now)
    }

    /// Records that a request that was permitted will not be sent. Another request with the same token may be sent in
    /// its place.
    mutating func takeBack(_ token: HashKey) {
        tokens[token]?.window.takeBack()
        if tokens[token]?.waiting.isEmpty == false { setAlarm(token, at: 0) }
    }
}

/// The items that wait to use a token, and the requests that the token has left. Several items may have the same token.
struct TokenQueue: Sendable {
    var window: SlidingWindow
    /// The items that wait for the token, in the order in which they began to wait.
    var waiting = FIFO<Schedule.Item>()
    /// The time at which the first waiting item is checked. Timers of this token that were set for other times are
    /// obsolete and ignored.
    var alarm: Double?
    var users = 0

    /// The longest time, in seconds, that a response of the service can block a token. If a service asks clients to
    /// wait for decades, the token is tried again after a day.
    static let longestClosing = 86_400.0

    init(limit: Int?, period: Double, _ remembered: SlidingWindow.Remembered? = nil) {
        window = SlidingWindow(limit: limit, period: period, longestClosing: Self.longestClosing)
        if let remembered { window.recall(remembered) }
    }
}
