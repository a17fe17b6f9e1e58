import Pledge
import PledgeCoding
import PledgeHTTP

/// Decides when each item of a batch may send a request, and when an item has to wait.
///
/// The schedule is a plain value: it receives events, and answers with actions. It uses no clocks, promises, or files,
/// so tests can drive it with simulated time. Times are in seconds since the batch began.
///
/// An item at work occupies a slot, and the number of slots is limited. An item gives up its slot when it has to wait
/// for a limit, for a retry, or for a service that is down. After the wait, the item takes precedence over items that
/// have not started. Items that failed before have to wait until all others have started.
package struct Schedule: Sendable {
    /// The number that identifies an item of this batch. It is never reused.
    package typealias Item = Int
    package typealias Service = String

    /// The rate limit that an item's requests count toward.
    struct Quota: Sendable {
        var service: Service
        var token: HashKey
        /// The number of requests that the service permits in a period; nil if the service announces its limit.
        var limit: Int?
        var period = 3600.0
        /// Whether other items may have the same token. If so, the schedule remembers how many requests the token has
        /// left, even while no item uses the token.
        var isShared = true
    }

    enum Action: Equatable, Sendable {
        /// The item's work may start, and its first request may be sent.
        case begin(Item)
        /// The item's next request may be sent.
        case send(Item)
        /// The item's next request is refused. It would have to wait this many seconds for a limit, which is longer
        /// than allowed.
        case refuse(Item, seconds: Double)
        /// The item's request is not sent again. The outcome of its last attempt becomes the result of the request.
        case fail(Item)
        /// The item is given up because the batch was stopped, or because its service did not come back. Its work is
        /// canceled and gets no result.
        case abandon(Item)
        /// The item's work has taken longer than allowed, so the item fails.
        case expire(Item)
        case report(Notice)
    }

    /// A change in the state of a service, to be shown to people.
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
        /// The item does not wait for the schedule. For example, it waits for a response.
        case working
        /// The item's request may be sent as soon as its turn comes and a slot is free.
        case ready
        /// The item's work has begun. Its first request is already permitted, although the work has not asked for
        /// permission yet.
        case granted
        /// The item's work has begun. It has not asked for permission to send its first request yet. The request will
        /// be refused, because it would have to wait too long for a limit.
        case refused(seconds: Double)
        /// The item failed before, so it waits until all items that did not fail before have started.
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
        /// The item gave up its slot to wait.
        case left(at: Double)
        /// The item's work has begun without a slot, because its first request was refused.
        case begun
    }

    struct Entry {
        let quota: Quota
        /// Whether the service failed for the item in the previous run.
        let failedBefore: Bool
        /// Whether the item has to wait for items that did not fail before. This is true if the item failed in the
        /// previous run, or if it failed twice in this run while the service answered other items.
        var comesLast: Bool
        var state = State.working
        var slot = Slot.notBegun
        /// The seconds that the item has waited for limits and retries.
        var waited = 0.0
        /// The times at which the item's current requests were sent. These requests have no outcome yet.
        var sent: [Double] = []
        /// The total time for which the item has had a slot, in seconds. It is updated whenever the item gives up its
        /// slot.
        var worked = 0.0
        /// Whether the last request of the item failed with a fault of the service, or without a response. If the
        /// service does not come back, the item ends with that outcome.
        var endsWithFault = false

        init(_ quota: Quota, failedBefore: Bool) {
            self.quota = quota
            self.failedBefore = failedBefore
            comesLast = failedBefore
        }

        var isAtWork: Bool { if case .taken = slot { true } else { false } }
        var hasBegun: Bool { slot != .notBegun }
    }

    enum Event {
        case retry(Item), token(HashKey), probe(service: Service), giveUp(service: Service)
        case overtime(Item, since: Double)
    }

    let rules: BatchRules
    var items: [Item: Entry] = [:]
    var tokens: [HashKey: TokenQueue] = [:]
    /// The records of tokens that no item uses at present. Each record tells how many requests a token has left.
    var unused: [HashKey: SlidingWindow.Remembered] = [:]
    var mostUnused = Self.fewUnused
    static let fewUnused = 4096
    private var health: [Service: ServiceHealth] = [:]
    /// The minimum number of seconds between two requests of the whole batch; 0 for no limit.
    let interval: Double
    /// The earliest time at which the next request may be sent.
    var nextSend = -Double.infinity
    var timers = Timers<Event>()
    /// The items whose request waits for its turn, in four queues:
    /// - `going`: items that have a slot.
    /// - `probing`: items whose request finds out whether their service is back.
    /// - `returning`: items that gave up their slot in order to wait, and need a slot again.
    /// - `fresh`: items that have not started.
    var going = FIFO<Item>()
    var probing = FIFO<Item>()
    var returning = FIFO<Item>()
    var fresh = FIFO<Item>()
    /// Two queues of items that failed before. The items in `last` take their turn after the items in the four queues
    /// above. The items in `deferred` have to wait until all other items have started.
    var last = FIFO<Item>()
    var deferred = FIFO<Item>()
    private var isInputOver = false
    var atWork = 0
    private(set) var isStopped = false
    /// For each service, the number of times that an item gave up its slot in order to wait, and the total seconds of
    /// these waits.
    var waits: [Service: (count: Int, seconds: Double)] = [:]
    var actions = FIFO<Action>()
    var generator: SplitMix64

    init(_ rules: BatchRules, seed: UInt64) {
        var rules = rules
        rules.inFlight = max(1, rules.inFlight)
        rules.totalRate = rules.totalRate.map { max(1, $0) }
        self.rules = rules
        interval = rules.totalRate.map { 3600 / Double($0) } ?? 0
        generator = SplitMix64(state: seed)
    }

    // MARK: Events

    /// - Parameter failedBefore: Whether the service failed for the item in the previous run.
    mutating func add(_ item: Item, _ quota: Quota, failedBefore: Bool = false, now: Double) {
        items[item] = Entry(quota, failedBefore: failedBefore)
        let left = unused.removeValue(forKey: quota.token)
        tokens[quota.token, default: TokenQueue(limit: quota.limit, period: quota.period, left)].users += 1
        if isStopped { abandon(item) } else { admit(item, now) }
        drain(now)
    }

    /// Records that the input has ended, so no further items will be added.
    mutating func endInput(now: Double) {
        isInputOver = true
        drain(now)
    }

    /// Records that an item wants to send a request. The item may have other requests under way, but only one of its
    /// requests at a time waits for permission.
    ///
    /// - Parameter pause: The pause before the request is sent again; nil if it was not sent before.
    mutating func ask(_ item: Item, after pause: RetryPause? = nil, now: Double) {
        // The item's work ended without waiting for this request, so the request is canceled.
        guard let entry = items[item] else { return actions.append(.abandon(item)) }
        switch entry.state {
        case .granted where maySend(item, now):
            items[item]?.state = .working
            actions.append(.send(item))
        case .refused(let seconds):
            items[item]?.state = .working
            actions.append(.refuse(item, seconds: seconds))
        case .abandoned: actions.append(.abandon(item))
        // The item already waits for permission for an earlier request, which was canceled. This request takes its
        // place.
        case .ready, .waitingForToken, .held, .deferred: break
        case .working, .granted, .waitingForTime:
            if entry.state == .granted { endRequest(of: item, now) }
            // After a limit, the token of the item is closed, so the request waits for the token.
            if let pause, pause.seconds > 0, !pause.isForLimit {
                let time = now + pause.seconds
                if park(item, .waitingForTime(until: time), now) { timers.set(.retry(item), at: time) }
            } else {
                admit(item, now)
            }
            drain(now)
        }
    }

    /// Records the outcome of an attempt to send a request, and decides whether the request is sent again.
    ///
    /// - Parameters:
    ///   - count: Counts the attempts to send this request.
    ///   - mayRepeat: Whether sending the request twice has the same effect as sending it once.
    /// - Returns: The pause before the request is sent again, which the next ``ask(_:after:now:)`` needs; nil if the
    ///   outcome is the request's result.
    mutating func record(
        _ attempt: AttemptOutcome, of item: Item, _ count: inout AttemptCount, mayRepeat: Bool = true, now: Double
    ) -> RetryPause? {
        guard let entry = items[item] else { return nil }
        let verdict = rules.retry.verdict(on: attempt, &count, waited: entry.waited, mayRepeat: mayRepeat) {
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
        items[item]?.endsWithFault = attempt.kind == .fault
        drain(now)
        // While the service is down, a request that may be repeated waits until the service is back, and is then sent
        // again. The same applies to a request that has not been sent.
        if !isUp, mayRepeat || attempt.kind == .unsent { return RetryPause(seconds: 0) }
        guard let pause = verdict.pause else { return nil }
        let isForLimit = attempt.kind == .limited
        // A wait for a token is counted when it is over.
        if !isForLimit { items[item]?.waited += pause }
        return RetryPause(seconds: pause, isForLimit: isForLimit)
    }

    /// Records that the work of an item has ended, no matter with which outcome.
    mutating func end(_ item: Item, now: Double) {
        guard let entry = items.removeValue(forKey: item) else { return }
        if entry.isAtWork { atWork -= 1 }
        let service = entry.quota.service
        let token = entry.quota.token
        self[service].forget(item)
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

    /// Advances the time, and handles the timers that are due. Call this method at the time of ``alarm``.
    mutating func advance(to now: Double) {
        while let timer = timers.popDue(by: now) {
            guard hasEffect(timer) else { continue }
            switch timer.element {
            case .retry(let item): admit(item, now)
            case .token(let token): release(token, now)
            case .probe(let service): probe(service, now)
            case .giveUp(let service): giveUp(service, now)
            case .overtime(let item, _): actions.append(.expire(item))
            }
        }
        drain(now)
    }

    /// Returns whether a timer still has an effect. A timer isn't removed when its event can no longer occur. For
    /// example, the timer after which a service is given up stays when the service is back.
    private func hasEffect(_ timer: Timers<Event>.Timer) -> Bool {
        switch timer.element {
        case .retry(let item): items[item]?.state == .waitingForTime(until: timer.time)
        case .token(let token): tokens[token].map { $0.alarm == timer.time && !$0.waiting.isEmpty } ?? false
        case .probe(let service): self[service].nextProbe == timer.time
        case .giveUp(let service):
            if case .down(let since) = self[service].state { since + rules.outageWait == timer.time } else { false }
        case .overtime(let item, let since): items[item]?.slot == .taken(at: since)
        }
    }

    /// Stops the batch: starts no further items, and gives up the items that wait.
    mutating func stop() {
        isStopped = true
        for (item, entry) in items.sorted(by: { $0.key < $1.key }) where !entry.isAtWork {
            switch entry.state {
            // An item whose request was refused is not given up. Its work gets the error, goes on, and ends with an
            // outcome of its own.
            case .refused, .working: continue
            default: abandon(item)
            }
        }
    }

    // MARK: State

    subscript(service: Service) -> ServiceHealth {
        get { health[service, default: ServiceHealth()] }
        _modify { yield &health[service, default: ServiceHealth()] }
    }

    /// The time at which to call ``advance(to:)``; nil if there is nothing to wait for.
    var alarm: Double? {
        let paced = going.isEmpty && (atWork >= rules.inFlight || !isAnyoneReady) ? nil : nextSend
        return [timers.next, paced].compactMap { $0 }.min()
    }

    var wantsMore: Bool {
        !isStopped && atWork + returning.count + fresh.count < rules.inFlight && parked < rules.mostParked
    }

    /// The number of items that wait for a limit, a retry, a service, or other items. Items that wait only for a slot
    /// don't count.
    var parked: Int { max(0, items.count - atWork - returning.count - fresh.count - probing.count) }

    /// The time at which the first of the waiting items may continue; nil if unknown.
    var nextWake: Double? {
        timers.entries.first { timer in
            switch timer.element {
            case .retry, .token, .probe: hasEffect(timer)
            case .giveUp, .overtime: false
            }
        }?.time
    }

    var isIdle: Bool { items.isEmpty }

    var isAnyoneReady: Bool {
        !(probing.isEmpty && returning.isEmpty && fresh.isEmpty && last.isEmpty)
    }

    /// Whether items that failed before may start. They may if the input has ended, so that no other items will come.
    /// They also may if so many items wait that the batch takes no new ones.
    var mayStartDeferred: Bool { isInputOver || parked >= rules.mostParked }
}

// The part of the schedule that decides when an item may send its request.
extension Schedule {
    /// Makes an item wait for its service, for other items, or for its token. If it needs to wait for none of them, its
    /// request becomes ready to be sent.
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
        } else if isSuspect(item) {
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

    /// Returns whether the item's request may still be sent. Its token must not be closed. In addition, its service
    /// must be up, or the request must be the one that probes the service.
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
            // The token was closed, or the service went down, after the request had become ready.
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

    /// Makes an item wait in the given state, and takes away its slot. If the batch was stopped, gives up the item
    /// instead. Returns whether the item now waits.
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

    mutating func refuse(_ item: Item, seconds: Double) {
        guard let entry = items[item] else { return }
        if entry.hasBegun {
            items[item]?.state = .working
            actions.append(.refuse(item, seconds: seconds))
        } else {
            items[item]?.state = .refused(seconds: seconds)
            items[item]?.slot = .begun
            actions.append(.begin(item))
        }
    }
}
