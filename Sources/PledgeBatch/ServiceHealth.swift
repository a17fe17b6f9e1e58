import Pledge
import PledgeCoding
import PledgeHTTP

/// Whether a service works. The outcomes of all requests determine that.
///
/// A fault says little about the service, because the item may have caused it. Therefore, only faults of items that
/// have not failed before count, and such items probe the service as long as there are any.
struct ServiceHealth: Sendable {
    typealias Item = Schedule.Item

    enum State: Sendable, Equatable {
        case up
        /// The service is down. Only one request at a time is sent, to find out whether the service is back.
        case down(since: Double)
        case gone
    }

    private(set) var state = State.up
    /// The items that have failed since the service last responded to any item. `ended` is the number of such items
    /// whose work has ended.
    private var failing: (items: Set<Item>, ended: Int) = ([], 0)
    /// The items that failed while the service responded to others. Their faults don't count until they succeed.
    private var excused: Set<Item> = []
    /// The items that wait for the service to come back. They are those that have not failed, those that may have
    /// failed because the service is down, and those that failed before that or as a probe.
    private var held = (untried: [Item](), failing: FIFO<Item>(), others: FIFO<Item>())
    private(set) var probing: Item?
    private var lastProbe: Item?
    /// The time of the next probe; nil while one is in progress, or if no item can send one.
    private(set) var nextProbe: Double?
    private var interval = 1.0

    static let longestInterval = 60.0
    /// The longest interval after a fault. The item may have caused the fault, so many items are tried before the
    /// service is given up.
    static let longestIntervalAfterFault = 5.0

    var isUp: Bool { state == .up }

    /// Records a response that only a working service sends. Returns whether the service was considered down until now.
    mutating func recordSuccess(of item: Item) -> Bool {
        excused.formUnion(failing.items)
        excused.remove(item)
        failing = ([], 0)
        guard case .down = state else { return false }
        state = .up
        probing = nil
        nextProbe = nil
        return true
    }

    /// Records a failure, and decides whether the service is down. It is down if enough items have failed one after
    /// another, or if it could not even be reached for the last attempt of an item.
    ///
    /// The item is not counted if `isExcused` says that its failures prove nothing, or if that is already known. If the
    /// service could not be reached, the item is counted in any case, because no item can cause that.
    ///
    /// - Parameter enough: The number of items after whose failures the service is down.
    /// - Returns: Whether the service is now down.
    mutating func recordFailure(
        of item: Item, isExcused: Bool, isReached: Bool, isLastAttempt: Bool, enough: Int, now: Double
    ) -> Bool {
        if !isReached || !isExcused && !self.isExcused(item) { failing.items.insert(item) }
        guard isUp else { return true }
        guard failureCount >= enough || isLastAttempt && !isReached else { return false }
        state = .down(since: now)
        interval = 1
        nextProbe = now + 1
        lastProbe = nil
        return true
    }

    /// The number of items that have failed one after another.
    var failureCount: Int { failing.items.count + failing.ended }

    /// Whether the item failed while the service answered others, and has not succeeded since.
    func isExcused(_ item: Item) -> Bool { excused.contains(item) }

    /// Whether the last request of the item failed.
    func hasFailed(_ item: Item) -> Bool { failing.items.contains(item) || isExcused(item) }

    /// Forgets an item that has ended, but still counts its failure.
    mutating func end(_ item: Item) {
        excused.remove(item)
        if failing.items.remove(item) != nil { failing.ended += 1 }
    }

    mutating func giveUp() {
        state = .gone
        probing = nil
        nextProbe = nil
    }

    // MARK: Items that wait

    mutating func hold(_ item: Item, failedBefore: Bool) {
        if failedBefore || isExcused(item) || item == lastProbe {
            held.others.append(item)
        } else if hasFailed(item) {
            held.failing.append(item)
        } else {
            held.untried.append(item)
        }
    }

    /// Returns the next item that may probe the service. It is an item that has not failed, chosen with a random number
    /// regardless of its position in the input. If all items have failed, it is the first of those, in their order.
    mutating func takeCandidate(_ random: UInt64) -> Item? {
        guard !held.untried.isEmpty else { return held.failing.popFirst() ?? held.others.popFirst() }
        held.untried.swapAt(Int(random % UInt64(held.untried.count)), held.untried.count - 1)
        return held.untried.removeLast()
    }

    mutating func takeAllHeld() -> [Item] {
        defer { held.untried = [] }
        return held.failing.takeAll() + held.untried.sorted() + held.others.takeAll()
    }

    // MARK: Probes

    mutating func beginProbe(_ item: Item?) {
        probing = item
        nextProbe = nil
        if item != nil { lastProbe = item }
    }

    /// Records that the probe failed or was not sent.
    mutating func endProbe(now: Double, isFault: Bool) {
        probing = nil
        interval = min(interval * 2, isFault ? Self.longestIntervalAfterFault : Self.longestInterval)
        nextProbe = now + interval
    }

    mutating func probeSoon(now: Double) {
        nextProbe = now
    }
}

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
        let wasUp = self[service].isUp
        let isDown = self[service].recordFailure(
            of: item, isExcused: items[item]?.failedBefore == true, isReached: isReached, isLastAttempt: isLastAttempt,
            enough: rules.suspects, now: now)
        guard wasUp else {
            if self[service].probing == item { endProbe(service, now, isFault: isReached) }
            return false
        }
        guard isDown else { return true }
        actions.append(.report(.down(service: service)))
        timers.set(.giveUp(service: service), at: now + rules.outageWait)
        timers.set(.probe(service: service), at: self[service].nextProbe ?? now)
        return false
    }

    mutating func hold(_ item: Item, _ now: Double) {
        guard let entry = items[item], park(item, .held, now) else { return }
        let service = entry.quota.service
        // The item's last request was canceled, so its probe has no outcome.
        if self[service].probing == item { endProbe(service, now) }
        self[service].hold(item, failedBefore: entry.failedBefore)
        guard self[service].probing == nil, self[service].nextProbe == nil else { return }
        self[service].probeSoon(now: now)
        timers.set(.probe(service: service), at: now)
    }

    /// Whether the service failed for the item in the previous run, or with the item's last request.
    func hasFailed(_ item: Item) -> Bool {
        items[item].map { $0.failedBefore || self[$0.quota.service].hasFailed(item) } ?? false
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
            guard let token = items[item]?.quota.token, items[item]?.state == .held else { continue }
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
