import Pledge
import PledgeCoding
import PledgeHTTP

// Waiting for the rate limits of tokens.
extension Schedule {
    mutating func waitForToken(_ item: Item, _ now: Double) {
        guard let entry = items[item], let ahead = tokens[entry.owner.token]?.waiting.count,
            let opening = tokens[entry.owner.token]?.window.opening(after: ahead, now: now)
        else { return }
        let seconds = opening - now
        guard entry.waited + seconds <= rules.longestWait else { return refuse(item, seconds: seconds, now) }
        guard park(item, .waitingForToken(since: now), now) else { return }
        tokens[entry.owner.token]?.waiting.append(item)
        if ahead == 0 { setAlarm(entry.owner.token, at: opening) }
    }

    mutating func close(_ token: HashKey, for seconds: Double, _ now: Double) {
        guard tokens[token]?.window.close(for: seconds, now: now) == true,
            let waiting = tokens[token]?.waiting.takeAll(), !waiting.isEmpty
        else { return }
        // An item that cannot wait that long does not start to wait.
        for item in waiting where endWaiting(item, now) { waitForToken(item, now) }
    }

    mutating func release(_ token: HashKey, _ now: Double) {
        while tokens[token]?.window.hasRoom(now: now) == true, let item = tokens[token]?.waiting.popFirst() {
            guard endWaiting(item, now), let service = items[item]?.owner.service else { continue }
            if self[service].isUp { makeReady(item) } else { admit(item, now) }
        }
        guard tokens[token]?.waiting.isEmpty == false, let next = tokens[token]?.window.opening(after: 0, now: now)
        else { return }
        setAlarm(token, at: max(next, now + 0.001))
    }

    /// Adds up the time for which the item has waited for its token. Returns false if it no longer does.
    private mutating func endWaiting(_ item: Item, _ now: Double) -> Bool {
        guard case .waitingForToken(let since) = items[item]?.state else { return false }
        items[item]?.waited += now - since
        return true
    }

    /// Remembers what a token that is no longer used has left, for as long as that matters.
    mutating func remember(_ window: SlidingWindow, of token: HashKey, _ now: Double) {
        unused[token] = window.remembered(now: now)
        guard unused.count > mostUnused else { return }
        unused = unused.filter { $0.value.end > now }
        mostUnused = max(Self.fewUnused, 2 * unused.count)
    }

    mutating func setAlarm(_ token: HashKey, at time: Double) {
        tokens[token]?.alarm = time
        timers.set(.token(token, at: time), at: time)
    }

    /// One of the item's requests that are under way has ended. Which one is unknown, so it is taken to be the first.
    mutating func endRequest(of item: Item, _ now: Double) {
        guard let entry = items[item], let time = entry.sent.first else { return }
        items[item]?.sent.removeFirst()
        tokens[entry.owner.token]?.window.end(sentAt: time, now: now)
    }

    /// A permitted request will not be sent, so another one may be.
    mutating func takeBack(_ token: HashKey) {
        tokens[token]?.window.takeBack()
        if tokens[token]?.waiting.isEmpty == false { setAlarm(token, at: 0) }
    }
}
