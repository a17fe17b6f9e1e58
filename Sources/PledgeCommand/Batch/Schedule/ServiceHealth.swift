import Pledge

/// Whether a service is there at all, by what became of everybody's requests.
struct ServiceHealth: Sendable {
    enum State: Sendable, Equatable {
        case up
        /// Nothing is sent but one request at a time, to see whether it is back.
        case down(since: Double)
        /// It did not come back in time.
        case gone
    }

    private(set) var state = State.up
    /// Accounts whose last request met trouble, since the service last gave a sign of life.
    private var suspects: Set<Schedule.Job> = []
    /// Who waits for it to come back.
    var held = FIFO<Schedule.Job>()
    /// Whose request is to find out whether it is back.
    private(set) var probing: Schedule.Job?
    /// When the next one does; nil while one is under way, or nobody is there to do it.
    private(set) var nextProbe: Double?
    private var interval = 1.0

    static let longestInterval = 60.0

    var isUp: Bool { state == .up }

    /// A reply came that only a working service sends.
    ///
    /// - Returns: whether it was taken for down until now.
    mutating func noteLife() -> Bool {
        suspects.removeAll(keepingCapacity: true)
        guard case .down = state else { return false }
        (state, probing, nextProbe, interval) = (.up, nil, nil, 1)
        return true
    }

    /// - Returns: how many accounts in a row have met trouble.
    mutating func suspect(_ job: Schedule.Job) -> Int {
        suspects.insert(job)
        return suspects.count
    }

    mutating func goDown(now: Double) {
        (state, interval, nextProbe) = (.down(since: now), 1, now + 1)
        suspects.removeAll()
    }

    mutating func giveUp() {
        (state, probing, nextProbe) = (.gone, nil, nil)
    }

    mutating func beginProbe(_ job: Schedule.Job?) {
        (probing, nextProbe) = (job, nil)
    }

    /// The request that was to find out has found nothing, or was not sent.
    mutating func endProbe(now: Double) {
        probing = nil
        interval = min(interval * 2, Self.longestInterval)
        nextProbe = now + interval
    }

    mutating func probeSoon(now: Double) {
        nextProbe = now
    }
}
