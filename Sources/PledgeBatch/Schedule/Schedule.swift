import Pledge
import PledgeHTTP

/// Determines which account may do what, and when: a pure value that receives events and returns actions.
///
/// It uses no clocks, promises, or files: a batch drives it with real ones, the simulated nights of the tests
/// with simulated ones. Times are seconds since the batch began.
///
/// An account at work occupies one of a limited number of slots. When it has to wait, for a limit, a retry, or the
/// service, it gives up its slot, and afterwards takes precedence over accounts that have not started.
package struct Schedule: Sendable {
    /// An account of this batch, identified by a number that is never reused.
    package typealias Job = Int
    package typealias Service = String

    typealias Rules = BatchRules

    /// The owner of an account, as far as limits are concerned.
    struct Owner: Sendable {
        var service: Service
        var token: HashKey
        /// The number of requests in a period; nil if the service announces its limit.
        var limit: Int?
        /// In seconds.
        var period = 3600.0
        /// Whether the token's other accounts may come later, so that what it has left is remembered.
        var isShared = true
    }

    enum Action: Equatable, Sendable {
        /// Its work may start, and its first request may be sent.
        case begin(Job)
        /// Its next request may be sent.
        case send(Job)
        /// Its next request is refused: it would have to wait this many seconds more for a limit than allowed.
        case refuse(Job, seconds: Double)
        /// Its work is to end silently.
        case abandon(Job)
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
        /// It does something other than wait for this schedule.
        case working
        /// Its request may be sent as soon as there is room.
        case ready
        /// Its request may be sent, but has not been made yet.
        case granted
        case refused(seconds: Double)
        case waitingForToken, waitingForTime, held, leaving
    }

    struct Entry {
        let owner: Owner
        var state = State.working
        var hasBegun = false
        /// Whether it is one of the accounts at work.
        var isAtWork = false
        /// The seconds it has waited for limits, and since when it waits.
        var waited = 0.0
        var waitsSince = 0.0
        /// The time since which it has no slot.
        var parkedSince = 0.0
        /// The time before which its request is not to be sent.
        var notBefore = -Double.infinity
    }

    enum Event {
        case retry(Job), token(HashKey, at: Double), probe(service: Service), giveUp(service: Service)
    }

    let rules: Rules
    var jobs: [Job: Entry] = [:]
    var tokens: [HashKey: TokenLimit] = [:]
    /// What tokens that no account uses at present have left.
    var unused: [HashKey: SlidingWindow.Remembered] = [:]
    var mostUnused = Self.fewUnused
    static let fewUnused = 4096
    private let retry: RetryRule
    private var health: [Service: ServiceHealth] = [:]
    var pace: Pace
    var agenda = Agenda<Event>()
    /// The requests the pace may permit: with a slot, to probe a service, after a wait, and not yet started.
    var (going, probing, returning, fresh) = (FIFO<Job>(), FIFO<Job>(), FIFO<Job>(), FIFO<Job>())
    var atWork = 0
    private(set) var isStopped = false
    /// By service: the number of times accounts gave up their slot to wait, and the seconds in total.
    var waits: [Service: (count: Int, seconds: Double)] = [:]
    var actions: [Action] = []
    var dice: Dice

    init(_ rules: Rules, seed: UInt64) {
        var rules = rules
        rules.inFlight = max(1, rules.inFlight)
        rules.totalRate = rules.totalRate.map { max(1, $0) }
        (self.rules, retry) = (rules, rules.retry)
        pace = Pace(rate: rules.totalRate)
        dice = Dice(state: seed)
    }

    // MARK: Events

    /// Adds an account.
    mutating func add(_ job: Job, _ owner: Owner, now: Double) {
        jobs[job] = Entry(owner: owner)
        let left = unused.removeValue(forKey: owner.token)
        tokens[owner.token, default: TokenLimit(limit: owner.limit, period: owner.period, left)].users += 1
        if isStopped { abandon(job) } else { admit(job, now) }
        drain(now)
    }

    /// An account at work wants to send a request. It may have sent others, but none of them waits for this schedule.
    ///
    /// - Parameter time: The time before which it is not to be sent.
    mutating func ask(_ job: Job, notBefore time: Double = -.infinity, now: Double) {
        // Its work has ended without waiting for this request.
        guard let entry = jobs[job] else { return actions.append(.abandon(job)) }
        switch entry.state {
        case .granted where maySend(job, now):
            jobs[job]?.state = .working
            actions.append(.send(job))
        case .refused(let seconds):
            jobs[job]?.state = .working
            actions.append(.refuse(job, seconds: seconds))
        case .leaving: actions.append(.abandon(job))
        // It takes over from one that was canceled while it waited.
        case .ready, .waitingForToken, .held: break
        case .working, .granted, .waitingForTime:
            jobs[job]?.notBefore = time
            if time <= now {
                admit(job, now)
            } else if park(job, .waitingForTime, now) {
                agenda.set(.retry(job), at: time)
            }
            drain(now)
        }
    }

    /// Records the outcome of an attempt.
    ///
    /// - Parameters:
    ///   - count: The earlier attempts to send the same request.
    ///   - mayRepeat: Whether sending the request twice has the same effect as once.
    /// - Returns: When the request may be sent again, for which it must ``ask(_:notBefore:now:)``; nil if that is its
    ///   result.
    mutating func record(
        _ attempt: Attempt, of job: Job, _ count: inout AttemptCount, mayRepeat: Bool = true, now: Double
    ) -> Again? {
        guard let entry = jobs[job] else { return nil }
        let verdict = retry.verdict(on: attempt, &count, waited: entry.waited, mayRepeat: mayRepeat) {
            .random(in: $0, using: &dice)
        }
        if let seconds = verdict.closing { close(entry.owner.token, for: seconds, now) }
        if attempt.showsRoom, tokens[entry.owner.token]?.window.succeed(now: now) == true {
            release(entry.owner.token, now)
        }
        let isUp: Bool
        switch attempt.outcome {
        case .answered, .limited:
            recordLife(entry.owner.service, now)
            isUp = true
        case .trouble: isUp = recordTrouble(of: job, isHopeless: attempt.isUnsent && verdict.pause == nil, now)
        case .garbled, .unclear:
            if self[entry.owner.service].probing == job { endProbe(entry.owner.service, now) }
            isUp = true
        }
        drain(now)
        // An account does not fail because the service is down.
        if !isUp, mayRepeat || attempt.isUnsent { return Again(time: now, pause: 0) }
        return verdict.pause.map { pause in
            // Its token is closed meanwhile, and the wait is counted when it has ended.
            if case .limited = attempt.outcome { return Again(time: now, pause: pause) }
            jobs[job]?.waited += pause
            return Again(time: now + pause, pause: pause)
        }
    }

    /// When a request may be sent again.
    struct Again {
        /// The time before which it is not to ``ask(_:notBefore:now:)``.
        var time: Double
        /// The seconds that it waits, as far as is known.
        var pause: Double
    }

    /// The work of an account has ended, whatever its outcome.
    mutating func end(_ job: Job, now: Double) {
        guard let entry = jobs.removeValue(forKey: job) else { return }
        if entry.isAtWork { atWork -= 1 }
        let (service, token) = (entry.owner.service, entry.owner.token)
        if entry.state == .ready { takeBack(token) }
        tokens[token]?.users -= 1
        if let limit = tokens[token], limit.users == 0 {
            tokens[token] = nil
            if entry.owner.isShared { remember(limit.window, of: token, now) }
        }
        if self[service].probing == job { endProbe(service, now) }
        drain(now)
    }

    /// Advances the time; see ``alarm``.
    mutating func advance(to now: Double) {
        while let event = agenda.popDue(by: now) {
            switch event {
            case .retry(let job):
                if let entry = jobs[job], entry.state == .waitingForTime, entry.notBefore <= now { admit(job, now) }
            case .token(let token, let time): if tokens[token]?.alarm == time { release(token, now) }
            case .probe(let service): probe(service, now)
            case .giveUp(let service): giveUp(service, now)
            }
        }
        drain(now)
    }

    /// Starts no further accounts, and gives up those that wait.
    mutating func stop() {
        isStopped = true
        for (job, entry) in jobs.sorted(by: { $0.key < $1.key }) where !entry.isAtWork {
            switch entry.state {
            // A limit that is too far away is an outcome, and about to be written to its line.
            case .refused, .working: continue
            default: abandon(job)
            }
        }
    }

    /// Removes and returns the actions to perform now.
    mutating func takeActions() -> [Action] {
        defer { actions.removeAll(keepingCapacity: true) }
        return actions
    }

    // MARK: State

    subscript(service: Service) -> ServiceHealth {
        get { health[service, default: ServiceHealth()] }
        _modify { yield &health[service, default: ServiceHealth()] }
    }

    /// The time at which to call ``advance(to:)``; nil for never.
    var alarm: Double? {
        let paced = going.isEmpty && (atWork >= rules.inFlight || !isAnyoneReady) ? nil : pace.next
        return [agenda.next, paced].compactMap { $0 }.min()
    }

    /// Whether there is room for another account.
    var wantsMore: Bool {
        !isStopped && atWork + returning.count + fresh.count < rules.inFlight && parked < rules.mostParked
    }

    /// The number of accounts that wait for something other than a slot.
    var parked: Int { max(0, jobs.count - atWork - returning.count - fresh.count - probing.count) }

    /// The time at which the first of them may continue.
    var nextWake: Double? { agenda.next }

    var isIdle: Bool { jobs.isEmpty }

    var isAnyoneReady: Bool { !(probing.isEmpty && returning.isEmpty && fresh.isEmpty) }
}
