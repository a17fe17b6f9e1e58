import Pledge
import PledgeCoding
import PledgeHTTP

/// Decides from the outcomes of all requests whether a service is up or down.
///
/// A single fault says little about the service, because the item may have caused it. Therefore, a fault counts only if
/// the item has not failed before. For the same reason, items that have not failed are the first choice for probes, the
/// requests that find out whether the service is back.
struct ServiceHealth: Sendable {
    typealias Item = Schedule.Item

    enum State: Sendable, Equatable {
        case up
        /// The service is down. Only one request at a time is sent to it, in order to find out whether it is back.
        case down(since: Double)
        case gone
    }

    /// The items that wait, in groups that probe the service one after another.
    enum Group: Sendable {
        /// The item has not failed.
        case untried
        /// The item may have failed because the service is down.
        case failing
        /// The item failed in the previous run or while the service was up, or it sent the last probe.
        case others
    }

    private(set) var state = State.up
    /// The items that have failed since the service last responded to any item. `items` are those that are still in the
    /// batch. `ended` is the number of those whose work has ended.
    private var failing: (items: Set<Item>, ended: Int) = ([], 0)
    /// The items that failed while the service responded to others. The faults of such an item don't count until the
    /// item succeeds.
    private var excused: Set<Item> = []
    /// The items that wait for the service to come back, in the order in which they began to wait.
    var held: [(item: Item, group: Group)] = []
    private(set) var probing: Item?
    private var lastProbe: Item?
    /// The time of the next probe; nil while a probe is in progress, or while no item can send one.
    private(set) var nextProbe: Double?
    private var interval = 1.0

    static let longestInterval = 60.0
    /// The longest interval between probes if the last probe ended with a fault. It is short, because the item of that
    /// probe may have caused the fault. So many items can probe the service before the service is given up.
    static let longestIntervalAfterFault = 5.0

    var isUp: Bool { state == .up }

    /// Records that the service answered a request of an item as only a working service does. Returns whether the
    /// service was considered down until now.
    mutating func countSuccess(of item: Item) -> Bool {
        excused.formUnion(failing.items)
        excused.remove(item)
        failing = ([], 0)
        guard case .down = state else { return false }
        state = .up
        probing = nil
        nextProbe = nil
        return true
    }

    /// Records a failure of an item, and decides whether the service is down. The service is down if enough items have
    /// failed one after another. It is also down if it could not even be reached by the last attempt of a request.
    ///
    /// An item doesn't count if it may have caused the failure itself. That is possible for an item that failed while
    /// the service answered others, and for an item with `isExcused`. If the service could not be reached, every item
    /// counts, because no item can cause that.
    ///
    /// - Parameters:
    ///   - isExcused: Whether the item failed in the previous run, so that its failure proves nothing now.
    ///   - isReached: Whether the request reached the service.
    ///   - isLastAttempt: Whether the request will not be sent again.
    ///   - enough: The number of items that must fail before the service is considered down.
    /// - Returns: Whether the service is now down.
    mutating func countFailure(
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

    /// The number of items that have failed since the service last responded to any item.
    var failureCount: Int { failing.items.count + failing.ended }

    /// Returns whether the item failed while the service answered others, and has not succeeded since.
    func isExcused(_ item: Item) -> Bool { excused.contains(item) }

    /// Returns whether the item has failed since the service last responded to any item, or is excused.
    func isSuspect(_ item: Item) -> Bool { failing.items.contains(item) || isExcused(item) }

    /// Forgets an item whose work has ended. If the item has failed, its failure still counts.
    mutating func forget(_ item: Item) {
        excused.remove(item)
        if failing.items.remove(item) != nil { failing.ended += 1 }
    }

    mutating func markGone() {
        state = .gone
        probing = nil
        nextProbe = nil
    }

    // MARK: Items that wait

    mutating func addHeld(_ item: Item, failedBefore: Bool) {
        let comesLast = failedBefore || isExcused(item) || item == lastProbe
        held.append((item, comesLast ? .others : isSuspect(item) ? .failing : .untried))
    }

    /// Returns the items that wait, in the order in which they may probe the service. Items that have not failed come
    /// first, in random order, regardless of their order in the input.
    func candidates(using generator: inout some RandomNumberGenerator) -> [Item] {
        func items(_ group: Group) -> [Item] { held.filter { $0.group == group }.map(\.item) }
        return items(.untried).shuffled(using: &generator) + items(.failing) + items(.others)
    }

    mutating func takeAllHeld() -> [Item] {
        defer { held = [] }
        return held.map(\.item)
    }

    // MARK: Probes

    /// Records that one of the waiting items probes the service, or that none can.
    mutating func beginProbe(_ item: Item?) {
        probing = item
        nextProbe = nil
        guard let item else { return }
        lastProbe = item
        held.removeAll { $0.item == item }
    }

    /// Records that the probe failed, or that no probe was sent, and sets the time of the next one.
    mutating func delayNextProbe(now: Double, isFault: Bool) {
        probing = nil
        interval = min(interval * 2, isFault ? Self.longestIntervalAfterFault : Self.longestInterval)
        nextProbe = now + interval
    }

    mutating func probeSoon(now: Double) {
        nextProbe = now
    }
}

// The part of the schedule that handles services that are down.
extension Schedule {
    /// Records that a request of the item failed, and that the service may be the reason. If the service could not be
    /// reached and the request will not be sent again, the service is considered down, even if few items have failed.
    /// Returns whether the service is still considered up.
    mutating func recordFailure(
        of item: Item, _ service: Service, _ outcome: AttemptOutcome.Kind, isLastAttempt: Bool, _ now: Double
    ) -> Bool {
        let isReached = outcome == .fault
        if isReached, self[service].isUp, self[service].isExcused(item) { items[item]?.comesLast = true }
        let wasUp = self[service].isUp
        let isDown = self[service].countFailure(
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
        // The item probed the service, but asks for permission again. So its probe was canceled and has no outcome.
        if self[service].probing == item { endProbe(service, now) }
        self[service].addHeld(item, failedBefore: entry.failedBefore)
        guard self[service].probing == nil, self[service].nextProbe == nil else { return }
        self[service].probeSoon(now: now)
        timers.set(.probe(service: service), at: now)
    }

    /// Returns whether the service failed for the item in the previous run, or the item is a suspect in this run.
    func isSuspect(_ item: Item) -> Bool {
        items[item].map { $0.failedBefore || self[$0.quota.service].isSuspect(item) } ?? false
    }

    mutating func recordSuccess(of item: Item, _ service: Service, _ now: Double) {
        let state = self[service].state
        let failedBefore = items[item]?.failedBefore == true
        items[item]?.comesLast = failedBefore
        guard self[service].countSuccess(of: item), case .down(let since) = state else { return }
        actions.append(.report(.up(service: service, after: now - since)))
        for item in self[service].takeAllHeld() where items[item]?.state == .held { admit(item, now) }
    }

    /// Sends one request to find out whether the service is back.
    mutating func probe(_ service: Service, _ now: Double) {
        let held = self[service].held.filter { items[$0.item]?.state == .held }
        self[service].held = held
        let probing = self[service].candidates(using: &generator).first { item in
            guard let token = items[item]?.quota.token else { return false }
            return tokens[token]?.window.hasRoom(now: now) == true
        }
        self[service].beginProbe(probing)
        if let probing {
            actions.append(.report(.probe(service: service)))
            makeReady(probing, asProbe: true)
        } else if !held.isEmpty {
            endProbe(service, now)
        }
    }

    /// Ends the current probe, and sets a timer for the next one.
    ///
    /// - Parameter isFault: Whether the service answered with a fault, or did not answer although it could be reached.
    mutating func endProbe(_ service: Service, _ now: Double, isFault: Bool = false) {
        guard case .down = self[service].state else { return }
        self[service].delayNextProbe(now: now, isFault: isFault)
        timers.set(.probe(service: service), at: self[service].nextProbe ?? now)
    }

    mutating func giveUp(_ service: Service, _ now: Double) {
        guard case .down(let since) = self[service].state else { return }
        self[service].markGone()
        actions.append(.report(.gone(service: service, after: now - since)))
        for item in self[service].takeAllHeld() where items[item]?.state == .held { giveUp(item) }
    }

    /// Gives up an item whose service did not come back.
    ///
    /// If the item's last request failed at the service, that request ends with the outcome of its last attempt, so the
    /// item fails. Other items are left for the next run. If the failed items were left as well, items that always fail
    /// would make the service appear down in every run.
    mutating func giveUp(_ item: Item) {
        guard items[item]?.endsWithFault == true else { return abandon(item) }
        items[item]?.state = .working
        actions.append(.fail(item))
    }
}
