import Pledge
import PledgeHTTP

/// The requests that a token has left, and the accounts that wait for one, of which there may be several per token.
struct TokenLimit: Sendable {
    var window: SlidingWindow
    /// The accounts that wait, in their order of arrival.
    var waiting = FIFO<Schedule.Job>()
    /// The time at which the first of them is checked; other alarms are obsolete.
    var alarm: Double?
    /// The number of accounts that currently use it.
    var users = 0

    /// The longest time for which a service's announcement closes a token: an account that may not wait as long is refused
    /// at once, but a service that announces decades is asked again on the next day.
    static let longestClosing = 86_400.0

    init(limit: Int?, period: Double, _ remembered: SlidingWindow.Remembered? = nil) {
        window = SlidingWindow(limit: limit, period: period, longestClosing: Self.longestClosing)
        if let remembered { window.recall(remembered) }
    }
}

/// Spaces the requests of the whole process evenly.
struct Pace: Sendable {
    /// The seconds between two requests; 0 for no limit.
    let interval: Double
    private(set) var next = -Double.infinity

    /// - Parameter rate: The number of requests in an hour; nil for no limit.
    init(rate: Int?) {
        interval = rate.map { 3600 / Double($0) } ?? 0
    }

    func isOpen(now: Double) -> Bool { next <= now }

    mutating func send(now: Double) {
        if interval > 0 { next = now + interval }
    }
}
