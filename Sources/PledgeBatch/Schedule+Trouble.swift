import Pledge
import PledgeCoding
import PledgeHTTP

// Waiting for a service, and for retries.
extension Schedule {
    /// Records that a request of the item failed for a reason that may be the service's. If the service could not be
    /// reached and `isLastAttempt` is true, the service is considered down, even if few items have failed. Returns
    /// whether the service is still considered up.
    mutating func recordFailure(
        of item: Item, _ service: Service, _ outcome: AttemptOutcome.Kind, isLastAttempt: Bool, _ now: Double
    ) -> Bool {
        let isReached = outcome == .fault
        if isReached, self[service].isUp, self[service].isExcused(item) { items[item]?.comesLast = true }
        let count = self[service].recordFailure(
            of: item, isExcused: items[item]?.failedBefore == true, isReached: isReached)
        guard self[service].isUp else {
            if self[service].probing == item { endProbe(service, now, isFault: isReached) }
            return false
        }
        guard count >= rules.suspects || isLastAttempt && !isReached else { return true }
        self[service].goDown(now: now)
        actions.append(.report(.down(service: service)))
        timers.set(.giveUp(service: service), at: now + rules.outageWait)
        timers.set(.probe(service: service), at: self[service].nextProbe ?? now)
        return false
    }

    mutating func hold(_ item: Item, _ now: Double) {
        guard let entry = items[item], park(item, .held, now) else { return }
        let service = entry.owner.service
        // The item's last request was canceled, so its probe has no outcome.
        if self[service].probing == item { endProbe(service, now) }
        self[service].hold(item, failedBefore: entry.failedBefore)
        guard self[service].probing == nil, self[service].nextProbe == nil else { return }
        self[service].probeSoon(now: now)
        timers.set(.probe(service: service), at: now)
    }

    /// Whether the service failed for the item in the previous run, or with the item's last request.
    func hasFailed(_ item: Item) -> Bool {
        items[item].map { $0.failedBefore || self[$0.owner.service].hasFailed(item) } ?? false
    }

    mutating func recordSuccess(of item: Item, _ service: Service, _ now: Double) {
        let state = self[service].state
        let failedBefore = items[item]?.failedBefore == true
        items[item]?.comesLast = failedBefore
        guard self[service].recordSuccess(of: item), case .down(let since) = state else { return }
        actions.append(.report(.up(service: service, after: now - since)))
        for item in self[service].takeAllHeld() where items[item]?.state == .held { admit(item, now) }
    }

    /// Sends one request to find out whether the service is back.
    mutating func probe(_ service: Service, _ now: Double) {
        guard case .down = self[service].state, let due = self[service].nextProbe, due <= now else { return }
        self[service].beginProbe(nil)
        var passed: [Item] = []
        while true {
            let random = generator.next()
            guard let item = self[service].takeCandidate(random) else { break }
            guard let token = items[item]?.owner.token, items[item]?.state == .held else { continue }
            guard tokens[token]?.window.hasRoom(now: now) == true else {
                passed.append(item)
                continue
            }
            self[service].beginProbe(item)
            actions.append(.report(.probe(service: service)))
            makeReady(item, asProbe: true)
            break
        }
        for item in passed { self[service].hold(item, failedBefore: items[item]?.failedBefore == true) }
        if self[service].probing == nil, !passed.isEmpty { endProbe(service, now) }
    }

    /// - Parameter isFault: Whether the service answered with a fault, or received the request and did not answer.
    mutating func endProbe(_ service: Service, _ now: Double, isFault: Bool = false) {
        guard case .down = self[service].state else { return }
        self[service].endProbe(now: now, isFault: isFault)
        timers.set(.probe(service: service), at: self[service].nextProbe ?? now)
    }

    mutating func giveUp(_ service: Service, _ now: Double) {
        guard case .down(let since) = self[service].state, since + rules.outageWait <= now else { return }
        self[service].giveUp()
        actions.append(.report(.gone(service: service, after: now - since)))
        for item in self[service].takeAllHeld() where items[item]?.state == .held { giveUp(item) }
    }

    /// Gives up an item whose service did not come back. If the service failed for the item, the item's request ends
    /// with the outcome of its last attempt. If it were left for the next run instead, items that always fail would
    /// cause the same outage in every run.
    mutating func giveUp(_ item: Item) {
        guard items[item]?.hasFailed == true else { return abandon(item) }
        items[item]?.state = .working
        actions.append(.fail(item))
    }
}

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
        // Each item checks again whether it may wait that long. If not, it does not begin to wait.
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

    /// Adds up the time for which the item has waited for its token. Returns false if the item no longer waits.
    private mutating func endWaiting(_ item: Item, _ now: Double) -> Bool {
        guard case .waitingForToken(let since) = items[item]?.state else { return false }
        items[item]?.waited += now - since
        return true
    }

    /// Remembers the state of a token that no item uses any more, for as long as that matters.
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

    /// Records that one of the item's requests under way has ended. It is unknown which one, so it is taken to be the
    /// first.
    mutating func endRequest(of item: Item, _ now: Double) {
        guard let entry = items[item], let time = entry.sent.first else { return }
        items[item]?.sent.removeFirst()
        tokens[entry.owner.token]?.window.end(sentAt: time, now: now)
    }

    /// Records that a permitted request will not be sent, so that another one may be.
    mutating func takeBack(_ token: HashKey) {
        tokens[token]?.window.takeBack()
        if tokens[token]?.waiting.isEmpty == false { setAlarm(token, at: 0) }
    }
}

/// The requests that a token has left, and the items that wait for the token. Several items may have the same token.
struct TokenLimit: Sendable {
    var window: SlidingWindow
    /// The items that wait, in their order of arrival.
    var waiting = FIFO<Schedule.Item>()
    /// The time at which the first waiting item is checked. Alarms for other times are obsolete.
    var alarm: Double?
    var users = 0

    /// The longest time for which an announcement of the service closes a token. An item that may not wait as long is
    /// refused at once. A service that announces decades is asked again on the next day.
    static let longestClosing = 86_400.0

    init(limit: Int?, period: Double, _ remembered: SlidingWindow.Remembered? = nil) {
        window = SlidingWindow(limit: limit, period: period, longestClosing: Self.longestClosing)
        if let remembered { window.recall(remembered) }
    }
}
