import Pledge

/// Whether a service works, judged by the outcomes of all requests.
struct ServiceHealth: Sendable {
    enum State: Sendable, Equatable {
        case up
        /// It is down: only one request at a time is sent, to find out whether it is back.
        case down(since: Double)
        case gone
    }

    private(set) var state = State.up
    /// The items whose last request failed since the service last responded.
    private var suspects: Set<Schedule.Item> = []
    var held = FIFO<Schedule.Item>()
    private(set) var probing: Schedule.Item?
    /// The time of the next probe; nil while one is in progress, or if no item can send one.
    private(set) var nextProbe: Double?
    private var interval = 1.0

    static let longestInterval = 60.0

    var isUp: Bool { state == .up }

    /// Records a response that only a working service sends. Returns whether it was considered down until now.
    mutating func recordLife() -> Bool {
        suspects = []
        guard case .down = state else { return false }
        (state, probing, nextProbe) = (.up, nil, nil)
        return true
    }

    /// - Returns: The number of consecutive items that have failed.
    mutating func suspect(_ item: Schedule.Item) -> Int {
        suspects.insert(item)
        return suspects.count
    }

    mutating func goDown(now: Double) {
        (state, interval, nextProbe) = (.down(since: now), 1, now + 1)
    }

    mutating func giveUp() {
        (state, probing, nextProbe) = (.gone, nil, nil)
    }

    mutating func beginProbe(_ item: Schedule.Item?) {
        (probing, nextProbe) = (item, nil)
    }

    /// The probe failed, or was not sent.
    mutating func endProbe(now: Double) {
        probing = nil
        interval = min(interval * 2, Self.longestInterval)
        nextProbe = now + interval
    }

    mutating func probeSoon(now: Double) {
        nextProbe = now
    }
}
