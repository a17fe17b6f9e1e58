import Pledge
import PledgeHTTP

/// The requests that a token has left, and the items that wait for one, of which there may be several per token.
struct TokenLimit: Sendable {
    var window: RateWindow
    /// The items that wait, in their order of arrival.
    var waiting = FIFO<Schedule.Item>()
    /// The time at which the first of them is checked; other alarms are obsolete.
    var alarm: Double?
    var users = 0

    /// The longest time for which a service's announcement closes a token: an item that may not wait as long is refused
    /// at once, but a service that announces decades is asked again on the next day.
    static let longestClosing = 86_400.0

    init(limit: Int?, period: Double, _ remembered: RateWindow.Remembered? = nil) {
        window = RateWindow(limit: limit, period: period, longestClosing: Self.longestClosing)
        if let remembered { window.recall(remembered) }
    }
}
