import Pledge
import PledgeCoding
import PledgeHTTP

/// Determines which item may do what, and when. It is a pure value that receives events and returns actions. It uses no
/// clocks, promises, or files: a batch drives it with real ones, and tests drive it with simulated ones. Times are in
/// seconds since the batch began.
///
/// An item at work occupies one of a limited number of slots. When it has to wait for a limit, a retry, or the service,
/// it gives up its slot. Afterwards, it takes precedence over items that have not started. Items that failed before are
/// deferred until all others have started.
package struct Schedule: Sendable {
    /// An item of this batch, identified by a number that is never reused.
    package typealias Item = Int
    package typealias Service = String

    typealias Rules = BatchRules

    /// The owner of the limits that an item's requests count toward.
    struct Quota: Sendable {
        var service: Service
        var token: HashKey
        /// The number of requests in a period; nil if the service announces its limit.
        var limit: Int?
        var period = 3600.0
        /// Whether other items with this token may come later. If so, the token's remaining requests are remembered.
        var isShared = true
    }

    enum Action: Equatable, Sendable {
        /// The item's work may start, and its first request may be sent.
        case begin(Item)
        /// The item's next request may be sent.
        case send(Item)
        /// The item's next request is refused, because it would have to wait for a limit longer than allowed: for this
        /// many seconds.
        case refuse(Item, seconds: Double)
        /// The item's request is not sent again. The outcome of the request's last attempt is its result.
        case fail(Item)
        /// The item's work is to end without a report.
        case abandon(Item)
        /// The item's work has taken longer than allowed.
        case expire(Item)
        case report(Notice)
    }

    /// An event that is reported to people.
    package enum Notice: Equatable, Sendable {
        case down(service: Service)
        case probe(service: Service)
        case up(service: Service, after: Double)
        case gone(service: Service, after: Double)

        package var service: Service {
            switch self {
            case .down(let service), .probe(let service), .up(let service, _), .gone(let service, _): service
            }
        }
    }

    enum State: Equatable {
        /// The item does something other than wait for this schedule.
        case working
        /// The item's request may be sent as soon as a slot is free.
        case ready
        /// A request of the item may be sent, but the item has not asked yet.
        case granted
        /// The next request would have to wait too long, and the item has not asked yet.
        case refused(seconds: Double)
        /// The item waits until all items that did not fail before have started.
        case deferred
        case waitingForToken(since: Double)
        case waitingForTime(until: Double)
        /// The item waits for its service to come back.
        case held
        case abandoned
    }

    enum Slot: Equatable {
        case notBegun
        case taken(at: Double)
        /// The item waits, or its first request was refused.
        case left(at: Double)
    }

    struct Entry {
        let quota: Quota
        /// Whether the service failed for the item in the previous run.
        let failedBefore: Bool
        /// Whether the item comes after items that did not fail before. It failed in the previous run, or twice in this
        /// run while the service answered others.
        var comesLast: Bool
        var state = State.working
        var slot = Slot.notBegun
        /// The seconds for which the item has waited for limits.
        var waited = 0.0
        /// The times at which the item's requests under way were sent.
        var sent: [Double] = []
        /// The seconds for which the item had a slot, up to the last time that it gave up its slot.
        var worked = 0.0
        /// Whether the last request of the item had a fault. If so, the item may end with that fault.
        var hasFailed = false

        init(_ quota: Quota, failedBefore: Bool) {
            self.quota = quota
            self.failedBefore = failedBefore
            comesLast = failedBefore
        }

        var isAtWork: Bool { if case .taken = slot { true } else { false } }
        var hasBegun: Bool { slot != .notBegun }
    }

    enum Event {
        case retry(Item), token(HashKey, at: Double), probe(service: Service), giveUp(service: Service)
        case overtime(Item, since: Double)
    }

    let rules: Rules
    var items: [Item: Entry] = [:]
    var tokens: [HashKey: TokenLimit] = [:]
    /// The remaining requests of tokens that no item uses at present.
    var unused: [HashKey: SlidingWindow.Remembered] = [:]
    var mostUnused = Self.fewUnused
    static let fewUnused = 4096
    private let retry: RetryRule
    private var health: [Service: ServiceHealth] = [:]
    /// The seconds between two requests of the whole process; 0 for no limit.
    let interval: Double
    /// When the next request may be sent.
    var nextSend = -Double.infinity
    var timers = TimerHeap<Event>()
    /// Items whose requests wait for their turn: those that have a slot, those that probe a service, those that return
    /// from a wait, and those that have not started.
    var going = FIFO<Item>()
    var probing = FIFO<Item>()
    var returning = FIFO<Item>()
    var fresh = FIFO<Item>()
    /// The items that failed before, which take their turn after those; and the items that have to wait until all
    /// others have started.
    var last = FIFO<Item>()
    var deferred = FIFO<Item>()
    private var isInputOver = false
    var atWork = 0
    private(set) var isStopped = false
    /// The number of times that items gave up their slot to wait, and the seconds of waiting in total, by service.
    var waits: [Service: (count: Int, seconds: Double)] = [:]
    var actions = FIFO<Action>()
    var generator: SplitMix64

    init(_ rules: Rules, seed: UInt64) {
        var rules = rules
        rules.inFlight = max(1, rules.inFlight)
        rules.totalRate = rules.totalRate.map { max(1, $0) }
        self.rules = rules
        retry = rules.retry
        interval = rules.totalRate.map { 3600 / Double($0) } ?? 0
        generator = SplitMix64(state: seed)
    }

    // MARK: Events

    /// - Parameter failedBefore: Whether the service failed for the item in the previous run.
    mutating func add(_ item: Item, _ quota: Quota, failedBefore: Bool = false, now: Double) {
        items[item] = Entry(quota, failedBefore: failedBefore)
        let left = unused.removeValue(forKey: quota.token)
        tokens[quota.token, default: TokenLimit(limit: quota.limit, period: quota.period, left)].users += 1
        if isStopped { abandon(item) } else { admit(item, now) }
        drain(now)
    }

    /// Records that no further items will be added.
    mutating func endInput(now: Double) {
        isInputOver = true
        drain(now)
    }

    /// Records that an item at work wants to send a request, but not before `time`. It may have sent other requests,
    /// but none of them waits here.
    mutating func ask(_ item: Item, notBefore time: Double = -.infinity, now: Double) {
        // The item's work has ended without waiting for this request.
        guard let entry = items[item] else { return actions.append(.abandon(item)) }
        switch entry.state {
        case .granted where maySend(item, now):
            items[item]?.state = .working
            actions.append(.send(item))
        case .refused(let seconds):
            items[item]?.state = .working
            actions.append(.refuse(item, seconds: seconds))
        case .abandoned: actions.append(.abandon(item))
        // An earlier request was canceled while it waited. This request takes its place.
        case .ready, .waitingForToken, .held, .deferred: break
        case .working, .granted, .waitingForTime:
            if entry.state == .granted { endRequest(of: item, now) }
            if time <= now {
                admit(item, now)
            } else if park(item, .waitingForTime(until: time), now) {
                timers.set(.retry(item), at: time)
            }
            drain(now)
        }
    }

    /// Records the outcome of an attempt. `count` counts the earlier attempts to send the same request. If `mayRepeat`
    /// is true, sending the request twice has the same effect as sending it once. Returns nil if the outcome is the
    /// request's result. Otherwise, the request is to be sent again: returns the time before which it must not
    /// ``ask(_:notBefore:now:)``, and the seconds that it waits, as far as is known.
    mutating func record(
        _ attempt: AttemptOutcome, of item: Item, _ count: inout AttemptCount, mayRepeat: Bool = true, now: Double
    ) -> (time: Double, pause: Double)? {
        guard let entry = items[item] else { return nil }
        let verdict = retry.verdict(on: attempt, &count, waited: entry.waited, mayRepeat: mayRepeat) {
            .random(in: $0, using: &generator)
        }
        endRequest(of: item, now)
        if let seconds = verdict.closing { close(entry.quota.token, for: seconds, now) }
        if attempt.hasQuotaLeft, tokens[entry.quota.token]?.window.succeed(now: now) == true {
            release(entry.quota.token, now)
        }
        let isUp: Bool
        switch attempt.kind {
        case .answered, .limited:
            recordSuccess(of: item, entry.quota.service, now)
            isUp = true
        case .fault, .unsent:
            isUp = recordFailure(
                of: item, entry.quota.service, attempt.kind, isLastAttempt: verdict.pause == nil, now)
        case .garbled, .unclear:
            if self[entry.quota.service].probing == item { endProbe(entry.quota.service, now) }
            isUp = true
        }
        items[item]?.hasFailed = attempt.kind == .fault
        drain(now)
        // No item fails because the service is down, as long as its request may be repeated.
        if !isUp, mayRepeat || attempt.kind == .unsent { return (now, 0) }
        return verdict.pause.map { pause in
            // The item's token is closed meanwhile, and the wait is counted once it has ended.
            if attempt.kind == .limited { return (now, pause) }
            items[item]?.waited += pause
            return (now + pause, pause)
        }
    }

    /// Records that the work of an item has ended, with any outcome.
    mutating func end(_ item: Item, now: Double) {
        guard let entry = items.removeValue(forKey: item) else { return }
        if entry.isAtWork { atWork -= 1 }
        let service = entry.quota.service
        let token = entry.quota.token
        self[service].end(item)
        if entry.state == .ready { takeBack(token) }
        for time in entry.sent { tokens[token]?.window.end(sentAt: time, now: now) }
        tokens[token]?.users -= 1
        if let limit = tokens[token], limit.users == 0 {
            tokens[token] = nil
            if entry.quota.isShared { remember(limit.window, of: token, now) }
        }
        if self[service].probing == item { endProbe(service, now) }
        drain(now)
    }

    /// Advances the time. ``alarm`` is the time at which to call this.
    mutating func advance(to now: Double) {
        while let event = timers.popDue(by: now) {
            switch event {
            case .retry(let item):
                if case .waitingForTime(let time) = items[item]?.state, time <= now { admit(item, now) }
            case .token(let token, let time): if tokens[token]?.alarm == time { release(token, now) }
            case .probe(let service): probe(service, now)
            case .giveUp(let service): giveUp(service, now)
            case .overtime(let item, let since):
                if items[item]?.slot == .taken(at: since) { actions.append(.expire(item)) }
            }
        }
        drain(now)
    }

    /// Starts no further items, and gives up those that wait.
    mutating func stop() {
        isStopped = true
        for (item, entry) in items.sorted(by: { $0.key < $1.key }) where !entry.isAtWork {
            switch entry.state {
            // The item is about to record that its request was refused, which is an outcome.
            case .refused, .working: continue
            default: abandon(item)
            }
        }
    }

    mutating func takeActions() -> [Action] { actions.takeAll() }

    // MARK: State

    subscript(service: Service) -> ServiceHealth {
        get { health[service, default: ServiceHealth()] }
        _modify { yield &health[service, default: ServiceHealth()] }
    }

    /// The time at which to call ``advance(to:)``; nil for never.
    var alarm: Double? {
        let paced = going.isEmpty && (atWork >= rules.inFlight || !isAnyoneReady) ? nil : nextSend
        return [timers.next, paced].compactMap { $0 }.min()
    }

    var wantsMore: Bool {
        !isStopped && atWork + returning.count + fresh.count < rules.inFlight && parked < rules.mostParked
    }

    /// The number of items that wait for something other than a slot.
    var parked: Int { max(0, items.count - atWork - returning.count - fresh.count - probing.count) }

    /// The time at which the first of the waiting items may continue.
    var nextWake: Double? { timers.next }

    var isIdle: Bool { items.isEmpty }

    var isAnyoneReady: Bool {
        !(probing.isEmpty && returning.isEmpty && fresh.isEmpty && last.isEmpty)
    }

    /// Whether items that failed before may start, because no other items will come, or because no more items may wait.
    var mayStartDeferred: Bool { isInputOver || parked >= rules.mostParked }
}

// From a request to its permit.
extension Schedule {
    /// Determines what an item has to wait for.
    mutating func admit(_ item: Item, _ now: Double) {
        guard let entry = items[item] else { return }
        let service = entry.quota.service
        let token = entry.quota.token
        guard self[service].isUp else { return self[service].state == .gone ? giveUp(item) : hold(item, now) }
        guard !entry.comesLast || mayStartDeferred else {
            if park(item, .deferred, now) { deferred.append(item) }
            return
        }
        guard tokens[token]?.window.hasRoom(now: now) == true, tokens[token]?.waiting.isEmpty == true else {
            return waitForToken(item, now)
        }
        makeReady(item)
    }

    mutating func makeReady(_ item: Item, asProbe: Bool = false) {
        guard let entry = items[item] else { return }
        tokens[entry.quota.token]?.window.reserve()
        items[item]?.state = .ready
        if entry.isAtWork {
            going.append(item)
        } else if asProbe {
            probing.append(item)
        } else if hasFailed(item) {
            last.append(item)
        } else if entry.hasBegun {
            returning.append(item)
        } else {
            fresh.append(item)
        }
    }

    mutating func drain(_ now: Double) {
        while mayStartDeferred, let item = deferred.popFirst() {
            if items[item]?.state == .deferred { admit(item, now) }
        }
        while nextSend <= now {
            if let item = going.popFirst() {
                go(item, now)
            } else if atWork < rules.inFlight,
                let item = probing.popFirst() ?? returning.popFirst() ?? fresh.popFirst() ?? last.popFirst()
            {
                go(item, now)
            } else {
                return
            }
        }
    }

    /// Whether the conditions under which the item's request was permitted still hold.
    func maySend(_ item: Item, _ now: Double) -> Bool {
        guard let quota = items[item]?.quota, tokens[quota.token]?.window.isClosed(now: now) == false else {
            return false
        }
        return self[quota.service].isUp || self[quota.service].probing == item
    }

    mutating func go(_ item: Item, _ now: Double) {
        guard let entry = items[item], entry.state == .ready else { return }
        let service = entry.quota.service
        let token = entry.quota.token
        guard maySend(item, now) else {
            // The conditions have changed since the request was permitted.
            items[item]?.state = .working
            takeBack(token)
            if self[service].probing == item { endProbe(service, now) }
            return admit(item, now)
        }
        tokens[token]?.window.send(now: now)
        items[item]?.sent.append(now)
        if interval > 0 { nextSend = now + interval }
        if !entry.isAtWork {
            atWork += 1
            if case .left(let time) = entry.slot { waits[service]?.seconds += now - time }
            items[item]?.slot = .taken(at: now)
            if let longest = rules.longestWork {
                timers.set(.overtime(item, since: now), at: now + max(0, longest - entry.worked))
            }
        }
        items[item]?.state = entry.hasBegun ? .working : .granted
        actions.append(entry.hasBegun ? .send(item) : .begin(item))
    }

    /// Gives up the item's slot. If no more items are to start, gives up the item itself. Returns whether the item now
    /// waits.
    mutating func park(_ item: Item, _ state: State, _ now: Double) -> Bool {
        guard !isStopped else {
            abandon(item)
            return false
        }
        if let entry = items[item], case .taken(let time) = entry.slot {
            atWork -= 1
            items[item]?.worked += now - time
            waits[entry.quota.service, default: (0, 0)].count += 1
            items[item]?.slot = .left(at: now)
        }
        items[item]?.state = state
        return true
    }

    mutating func abandon(_ item: Item) {
        guard let entry = items[item], entry.state != .abandoned else { return }
        items[item]?.state = .abandoned
        if entry.state == .ready { takeBack(entry.quota.token) }
        actions.append(.abandon(item))
    }

    mutating func refuse(_ item: Item, seconds: Double, _ now: Double) {
        guard let entry = items[item] else { return }
        if entry.hasBegun {
            items[item]?.state = .working
            actions.append(.refuse(item, seconds: seconds))
        } else {
            items[item]?.state = .refused(seconds: seconds)
            items[item]?.slot = .left(at: now)
            actions.append(.begin(item))
        }
    }
}
