import Pledge

/// The remaining requests of a token, and the accounts that wait for it, of which there may be several per token.
///
/// Times are seconds since the batch began.
struct TokenLimit: Sendable {
    /// The number of requests in any period; nil if the service announces its limit.
    let limit: Int?
    let period: Double
    /// The times of the requests of the last period, oldest first.
    private var sent: [Double] = []
    /// The number of permitted requests that wait for other reasons.
    private(set) var promised = 0
    /// The time before which the service permits no request.
    private(set) var closedUntil = -Double.infinity
    /// The accounts that wait, in their order of arrival.
    var waiting = FIFO<Schedule.Job>()
    /// The time at which the first of them is checked; other alarms are obsolete.
    var alarm: Double?
    /// The number of accounts that currently use it.
    var users = 0

    init(limit: Int?, period: Double, rested: Remembered? = nil) {
        self.limit = limit
        self.period = period
        if let rested { sent = Array(repeating: rested.last, count: rested.count) }
    }

    /// The record of a token that is currently unused: as if all requests had been sent with the last.
    struct Remembered: Sendable {
        var last: Double
        var count: Int
    }

    func rested(now: Double) -> Remembered? {
        let count = sent.count { $0 + period > now }
        return sent.last.flatMap { count > 0 ? Remembered(last: $0, count: count) : nil }
    }

    func isClosed(now: Double) -> Bool { closedUntil > now }

    mutating func hasRoom(now: Double) -> Bool {
        guard closedUntil <= now else { return false }
        guard let limit else { return true }
        sent.removeFirst(sent.prefix { $0 + period <= now }.count)
        return sent.count + promised < limit
    }

    /// Returns the time at which a request with this many others ahead of it can be sent, as far as is known.
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

    /// A permitted request is sent.
    mutating func send(now: Double) {
        promised -= 1
        if limit != nil { sent.append(now) }
    }

    /// - Returns: Whether that is later than before.
    mutating func close(until time: Double) -> Bool {
        guard time > closedUntil else { return false }
        closedUntil = time
        return true
    }
}

/// Spaces the requests of the whole process evenly.
struct Pace: Sendable {
    /// The seconds between two requests; 0 for no limit.
    let interval: Double
    private(set) var next = -Double.infinity

    /// - Parameter rate: The number of requests in a period; nil for no limit.
    init(rate: Int?, period: Double) {
        interval = rate.map { period / Double($0) } ?? 0
    }

    func isOpen(now: Double) -> Bool { next <= now }

    mutating func send(now: Double) {
        if interval > 0 { next = now + interval }
    }
}
