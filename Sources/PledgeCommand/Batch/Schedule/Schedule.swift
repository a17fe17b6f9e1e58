import Pledge

/// Which account may do what, and when: a pure value that is told what happens, and answers with what to do.
///
/// It knows neither clocks nor promises nor files: a batch drives it with real ones, the simulated nights of the tests
/// with invented ones. Times are seconds since the batch began.
///
/// An account at work holds one of so many places. Whenever it has to wait, for a limit, for another attempt or for the
/// service to come back, it gives up its place, and when its time has come it goes before those that have not begun.
struct Schedule: Sendable {
    /// An account of this batch, by a number that is never used again.
    typealias Job = Int

    struct Rules: Sendable {
        /// Accounts at work at a time.
        var inFlight = 16
        /// What limits count by, in seconds.
        var period = 3600.0
        /// Requests of the whole process in a period.
        var totalRate: Int?
        /// Seconds an account may wait for limits in all.
        var longestWait = 3600.0
        /// Seconds to wait for a service that is down.
        var outageWait = 900.0
        /// Seconds to wait after a 429 that does not say how long.
        var limitDelay = 900.0
        /// How often a request is sent, at most, that meets trouble.
        var attempts = 5
        /// Accounts in a row that meet trouble before the service is taken for down.
        var suspects = 5
        /// Accounts that wait at a time before no more of the input is read.
        var mostParked = 10_000
    }

    /// Whose an account is, as far as limits are concerned.
    struct Owner: Sendable {
        var service: Int
        var token: AccountKey
        /// Requests in a period; nil where the service says itself when it is enough.
        var limit: Int?
    }

    enum Action: Equatable, Sendable {
        /// Its work may begin, and its first request may go.
        case begin(Job)
        /// Its next request may go.
        case send(Job)
        /// Its next request may not go: it would have to wait so many seconds more for a limit than it may.
        case refuse(Job, seconds: Double)
        /// Its work is to end, with nothing said about it.
        case abandon(Job)
        case note(Note)
    }

    /// What a person wants to know.
    enum Note: Equatable, Sendable {
        case down(service: Int)
        case probe(service: Int)
        case up(service: Int, after: Double)
        case gone(service: Int, after: Double)

        var service: Int {
            switch self {
            case .down(let service), .probe(let service), .up(let service, _), .gone(let service, _): service
            }
        }
    }

    enum Place: Equatable {
        /// Does something else than to wait for this schedule.
        case working
        /// Its request may go as soon as there is room.
        case ready
        /// Its request may go, and was not asked for yet.
        case granted
        case refused(seconds: Double)
        case waitingForToken, waitingForTime, held, leaving
    }

    struct Entry {
        let owner: Owner
        var place = Place.working
        var hasBegun = false
        /// Whether it is one of those at work.
        var isAtWork = false
        /// Attempts of the request at hand that met trouble, were limited, or came back garbled.
        var troubled = 0
        var limited = 0
        var garbled = 0
        /// Seconds it has waited for limits, and since when it does.
        var waited = 0.0
        var waitsSince = 0.0
        /// Since when it has no place.
        var parkedSince = 0.0

        mutating func beginRequest() {
            (troubled, limited, garbled) = (0, 0, 0)
        }
    }

    enum Event {
        case retry(Job), token(AccountKey, at: Double), probe(service: Int), giveUp(service: Int)
    }

    let rules: Rules
    var jobs: [Job: Entry] = [:]
    var tokens: [AccountKey: TokenLimit] = [:]
    var rested: [AccountKey: TokenLimit.Rested] = [:]
    var mostRested = Self.fewRested
    static let fewRested = 4096
    var services: [ServiceHealth]
    var pace: Pace
    var agenda = Agenda<Event>()
    /// Who may go as soon as the pace lets them: with a place; to find out about a service; before, and not yet begun.
    var (going, probing, returning, fresh) = (FIFO<Job>(), FIFO<Job>(), FIFO<Job>(), FIFO<Job>())
    var atWork = 0
    private(set) var isStopped = false
    /// How often accounts gave up their place to wait, and for how many seconds in all.
    var waits = 0
    var waitSeconds = 0.0
    var actions: [Action] = []
    var dice: Dice

    init(_ rules: Rules, services: Int, seed: UInt64) {
        self.rules = rules
        self.services = Array(repeating: ServiceHealth(), count: services)
        pace = Pace(rate: rules.totalRate, period: rules.period)
        dice = Dice(state: seed)
    }

    // MARK: What happens

    /// There is another account.
    mutating func add(_ job: Job, _ owner: Owner, now: Double) {
        jobs[job] = Entry(owner: owner)
        let rest = rested.removeValue(forKey: owner.token)
        tokens[owner.token, default: TokenLimit(limit: owner.limit, period: rules.period, rested: rest)].users += 1
        if isStopped { abandon(job) } else { admit(job, now) }
        drain(now)
    }

    /// An account that has begun wants to send a request.
    mutating func ask(_ job: Job, now: Double) {
        guard let entry = jobs[job] else { return }
        switch entry.place {
        case .granted:
            jobs[job]?.place = .working
            actions.append(.send(job))
        case .refused(let seconds): actions.append(.refuse(job, seconds: seconds))
        case .leaving: actions.append(.abandon(job))
        default:
            jobs[job]?.beginRequest()
            admit(job, now)
            drain(now)
        }
    }

    /// A request came to this.
    ///
    /// - Returns: whether it is sent again, when ``Action/send(_:)`` says so; if not, that is the reply.
    mutating func answer(_ job: Job, _ attempt: Attempt, now: Double) -> Bool {
        guard let owner = jobs[job]?.owner else { return false }
        if let seconds = attempt.closes { close(owner.token, until: now + seconds, now) }
        let isProbe = services[owner.service].probing == job
        let again: Bool
        switch attempt.outcome {
        case .answered:
            noteLife(owner.service, now)
            again = false
        case .limited(let seconds):
            noteLife(owner.service, now)
            again = wait(job, forLimit: seconds ?? rules.limitDelay, now)
        case .trouble(let trouble, let seconds):
            again = meet(trouble, job, asked: seconds, now)
        case .garbled, .unclear:
            if isProbe { endProbe(owner.service, now) }
            again = attempt.outcome == .garbled && retry(garbled: job, now)
        }
        drain(now)
        return again
    }

    /// The work of an account is over, however.
    mutating func end(_ job: Job, now: Double) {
        guard let entry = jobs.removeValue(forKey: job) else { return }
        if entry.isAtWork { atWork -= 1 }
        let (service, token) = (entry.owner.service, entry.owner.token)
        if entry.place == .ready { takeBack(token) }
        tokens[token]?.users -= 1
        if let limit = tokens[token], limit.users == 0, !limit.isClosed(now: now) {
            tokens[token] = nil
            rest(token, limit, now)
        }
        if services[service].probing == job { endProbe(service, now) }
        drain(now)
    }

    /// Time has passed: see ``alarm``.
    mutating func advance(to now: Double) {
        while let event = agenda.popDue(by: now) {
            switch event {
            case .retry(let job): if jobs[job]?.place == .waitingForTime { admit(job, now) }
            case .token(let token, let time): if tokens[token]?.alarm == time { release(token, now) }
            case .probe(let service): probe(service, now)
            case .giveUp(let service): giveUp(service, now)
            }
        }
        drain(now)
    }

    /// Begins no other account, and gives up those that wait.
    mutating func stop() {
        isStopped = true
        for (job, entry) in jobs.sorted(by: { $0.key < $1.key }) where !entry.isAtWork {
            // That a limit is too far away is an answer, and on its way to its line.
            if case .refused = entry.place { continue }
            abandon(job)
        }
    }

    /// What to do now; each is told once.
    mutating func takeActions() -> [Action] {
        defer { actions.removeAll(keepingCapacity: true) }
        return actions
    }

    // MARK: What is known

    /// When to call ``advance(to:)``; nil for never.
    var alarm: Double? {
        let paced = going.isEmpty && (atWork >= rules.inFlight || !isAnyoneReady) ? nil : pace.next
        return [agenda.next, paced].compactMap { $0 }.min()
    }

    /// Whether there is room for another account.
    var wantsMore: Bool {
        !isStopped && atWork + returning.count + fresh.count < rules.inFlight && parked < rules.mostParked
    }

    /// Accounts that wait for something else than a place.
    var parked: Int { jobs.count - atWork - returning.count - fresh.count - probing.count }

    /// When the first that waits may go on.
    var nextWake: Double? { agenda.next }

    var isIdle: Bool { jobs.isEmpty }

    var isAnyoneReady: Bool { !(probing.isEmpty && returning.isEmpty && fresh.isEmpty) }
}
