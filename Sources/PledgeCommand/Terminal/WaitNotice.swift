import Foundation
import Pledge
import PledgeCoding
import PledgeHTTP

/// Announces the long waits of a command, each once: how long, why, and how to stop. Without that, a command that waits
/// for an hourly limit looks like one that hangs.
final class WaitNotice: Sendable {
    /// Shorter waits are not announced, in seconds.
    static let shortest = 5.0

    private let service: String
    private let clock: Timekeeper
    private let isOfMany: Bool
    private let tell: @Sendable (String) -> Void
    /// The end of the latest wait that was announced, by the clock's uptime.
    private let end = Locked(-Double.infinity)

    /// - Parameter isOfMany: Whether many accounts wait, each for itself, of which only the first is announced.
    init(
        _ service: String, _ clock: Timekeeper, isOfMany: Bool = false, _ tell: @escaping @Sendable (String) -> Void
    ) {
        (self.service, self.clock, self.isOfMany, self.tell) = (service, clock, isOfMany, tell)
    }

    /// Announces a wait, unless it ends with one that was announced: several requests wait for the same limit.
    @Sendable func note(_ wait: RequestWait) {
        guard wait.seconds > Self.shortest else { return }
        let until = clock.uptime() + wait.seconds
        let isNew = end.withLock { end in
            guard until > end + Self.shortest else { return false }
            end = isOfMany ? .infinity : until
            return true
        }
        guard isNew else { return }
        let length = NumberText.duration(wait.seconds)
        let reason =
            switch wait.reason {
            case .limit: "\(service)'s limit of requests is reached"
            case .status(let status): "\(service) answered \(status)"
            case .noResponse: "\(service) did not respond"
            }
        let what = isOfMany ? "an account waits \(length), while others go on" : "the next request is sent in \(length)"
        tell("\(reason): \(what). Press Ctrl-C to stop.")
    }
}
