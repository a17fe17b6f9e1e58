import Pledge

/// What a token may still send, and who waits for it. A limit belongs to a token, however many accounts use it.
///
/// Times are seconds since the batch began.
struct TokenLimit: Sendable {
    /// Requests in any period; nil where the service says itself when it is enough.
    let limit: Int?
    let period: Double
    /// When the requests of the last period were sent, oldest first.
    private var sent: [Double] = []
    /// Requests that may go, and wait for room elsewhere.
    private(set) var promised = 0
    /// Nothing goes before this, because the service said so.
    private(set) var closedUntil = -Double.infinity
    /// Who waits, in the order they came.
    var waiting = FIFO<Schedule.Job>()
    /// When the first of them is looked after; other alarms are out of date.
    var alarm: Double?
    /// Accounts that use it now.
    var users = 0

    init(limit: Int?, period: Double, rested: Rested? = nil) {
        self.limit = limit
        self.period = period
        if let rested { sent = Array(repeating: rested.last, count: rested.count) }
    }

    /// What is remembered of a token that nobody uses at the moment: as if all had been sent with the last.
    struct Rested: Sendable {
        var last: Double
        var count: Int
    }

    func rested(now: Double) -> Rested? {
        let count = sent.count { $0 + period > now }
        return sent.last.flatMap { count > 0 ? Rested(last: $0, count: count) : nil }
    }

    func isClosed(now: Double) -> Bool { closedUntil > now }

    mutating func hasRoom(now: Double) -> Bool {
        guard closedUntil <= now else { return false }
        guard let limit else { return true }
        sent.removeFirst(sent.prefix { $0 + period <= now }.count)
        return sent.count + promised < limit
    }

    /// When a request can go that has so many others before it, as far as is known.
    func opening(after ahead: Int, now: Double) -> Double {
        let earliest = max(now, closedUntil)
        guard let limit else { return earliest }
        let place = sent.count + promised + ahead - limit
        guard place >= 0 else { return earliest }
        if place < sent.count { return max(earliest, sent[place] + period) }
        let rounds = 1 + (place - sent.count) / limit
        return max(earliest, (sent.last ?? now) + period * Double(rounds))
    }

    mutating func promise() {
        promised += 1
    }

    mutating func takeBack() {
        promised -= 1
    }

    /// What was promised is sent.
    mutating func send(now: Double) {
        promised -= 1
        if limit != nil { sent.append(now) }
    }

    /// - Returns: whether that is later than before.
    mutating func close(until time: Double) -> Bool {
        guard time > closedUntil else { return false }
        closedUntil = time
        return true
    }
}

/// Spaces the requests of the whole process evenly.
struct Pace: Sendable {
    /// Seconds between two; 0 for any pace.
    let interval: Double
    private(set) var next = -Double.infinity

    /// - Parameter rate: requests in a period; nil for any number.
    init(rate: Int?, period: Double) {
        interval = rate.map { period / Double($0) } ?? 0
    }

    func isOpen(now: Double) -> Bool { next <= now }

    mutating func send(now: Double) {
        if interval > 0 { next = now + interval }
    }
}
