import Pledge

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
    private var suspects: (items: Set<Item>, ended: Int) = ([], 0)
    /// The items that failed while the service responded to others. Their faults don't count until they succeed.
    private var excused: Set<Item> = []
    /// The items that wait for the service to come back. They are those that have not failed, those that may have
    /// failed because the service is down, and those that failed before that or as a probe.
    private var held = (untried: [Item](), suspects: FIFO<Item>(), others: FIFO<Item>())
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
        excused.formUnion(suspects.items)
        excused.remove(item)
        suspects = ([], 0)
        guard case .down = state else { return false }
        state = .up
        probing = nil
        nextProbe = nil
        return true
    }

    /// Records a failure. The item is not counted if `isExcused` says that its failures prove nothing, or if that is
    /// already known. If the service could not be reached, the item is counted in any case, because no item can cause
    /// that.
    ///
    /// - Returns: The number of items that have failed one after another.
    mutating func recordFailure(of item: Item, isExcused: Bool, isReached: Bool) -> Int {
        if !isReached || !isExcused && !self.isExcused(item) { suspects.items.insert(item) }
        return suspects.items.count + suspects.ended
    }

    /// Whether the item failed while the service answered others, and has not succeeded since.
    func isExcused(_ item: Item) -> Bool { excused.contains(item) }

    /// Whether the last request of the item failed.
    func hasFailed(_ item: Item) -> Bool { suspects.items.contains(item) || isExcused(item) }

    /// Forgets an item that has ended, but still counts its failure.
    mutating func end(_ item: Item) {
        excused.remove(item)
        if suspects.items.remove(item) != nil { suspects.ended += 1 }
    }

    mutating func goDown(now: Double) {
        state = .down(since: now)
        interval = 1
        nextProbe = now + 1
        lastProbe = nil
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
            held.suspects.append(item)
        } else {
            held.untried.append(item)
        }
    }

    /// Returns the next item that may probe the service. It is an item that has not failed, chosen with a random number
    /// regardless of its position in the input. If all items have failed, it is the first of those, in their order.
    mutating func takeCandidate(_ random: UInt64) -> Item? {
        guard !held.untried.isEmpty else { return held.suspects.popFirst() ?? held.others.popFirst() }
        held.untried.swapAt(Int(random % UInt64(held.untried.count)), held.untried.count - 1)
        return held.untried.removeLast()
    }

    mutating func takeAllHeld() -> [Item] {
        defer { held.untried = [] }
        return held.suspects.takeAll() + held.untried.sorted() + held.others.takeAll()
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
