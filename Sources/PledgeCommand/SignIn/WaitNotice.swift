import Pledge
import PledgeCoding
import PledgeHTTP

/// Announces the long waits of a command: how long each wait is, what it is for, and how to stop it. Without such a
/// message, a command that waits for an hourly limit looks as if it hangs.
final class WaitNotice: Sendable {
    private let service: String
    private let clock: Timekeeper
    private let isOfMany: Bool
    private let tell: @Sendable (String) -> Void
    /// The time at which the latest announced wait ends, measured by the clock's uptime.
    private let end = Locked(-Double.infinity)

    /// - Parameter isOfMany: Whether many accounts wait independently of each other. If so, only the first wait is
    ///   announced.
    init(
        _ service: String, _ clock: Timekeeper, isOfMany: Bool = false, _ tell: @escaping @Sendable (String) -> Void
    ) {
        self.service = service
        self.clock = clock
        self.isOfMany = isOfMany
        self.tell = tell
    }

    /// Announces a wait if it is long, and if it ends later than the waits that were announced before. The second
    /// condition avoids repeated messages when several requests wait for the same limit.
    @Sendable func announce(_ wait: RequestWait) {
        guard wait.seconds > RequestWait.shortestAnnounced || wait.reason == .token else { return }
        let until = clock.uptime() + wait.seconds
        let isNew = end.withLock { end in
            guard until > end + RequestWait.shortestAnnounced else { return false }
            end = isOfMany ? .infinity : until
            return true
        }
        guard isNew else { return }
        let length = NumberText.duration(wait.seconds)
        let reason =
            switch wait.reason {
            case .limit: "\(service)'s request limit is reached"
            case .status(let status): "\(service) answered \(status)"
            case .noResponse: "\(service) did not respond"
            case .token: "there is no token for \(service) yet, after \(length): another process may be renewing it"
            }
        if wait.reason == .token { return tell("\(reason). Press Ctrl-C to stop.") }
        let what =
            isOfMany ? "an account waits \(length), while others continue" : "the next request is sent in \(length)"
        tell("\(reason): \(what). Press Ctrl-C to stop.")
    }
}
