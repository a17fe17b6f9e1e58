import Foundation
import Pledge

/// The intervals and time limit for polling an account.
public struct FollowPace: Sendable, Equatable {
    /// The time before the first poll, in seconds. Each further interval is 1.5 times as long as the previous one.
    public var firstWait: TimeInterval
    /// The longest interval, in seconds.
    public var longestWait: TimeInterval
    /// The time limit for polling, in seconds.
    public var deadline: TimeInterval

    /// Creates a pace. By default, it polls every three seconds to a minute for ten minutes: about twenty requests.
    public init(firstWait: TimeInterval = 3, longestWait: TimeInterval = 60, deadline: TimeInterval = 600) {
        self.firstWait = firstWait
        self.longestWait = longestWait
        self.deadline = deadline
    }
}

extension ParticipantSession {
    /// Polls an account until its status is final, within the time limit.
    func follow(_ id: ExternalAccount.ID, _ pace: FollowPace) -> Promise<ExternalAccount> {
        poll(id, wait: max(0, min(pace.firstWait, pace.longestWait)), atMost: max(0, pace.longestWait))
            .timeout(seconds: pace.deadline, timekeeper: client.clock)
            .mapError(on: nil) { MyDataHelpsError($0) }
    }

    /// - Parameters:
    ///   - hasMoved: Whether a poll has shown that the service started, so that a final status is that of this fetch.
    ///   - last: The status at the previous poll.
    private func poll(
        _ id: ExternalAccount.ID, wait: TimeInterval, atMost longestWait: TimeInterval, hasMoved: Bool = false,
        last: ExternalAccountStatus? = nil
    ) -> Promise<ExternalAccount> {
        after(seconds: wait, timekeeper: client.clock).then(on: .pledge) { _ in
            self.externalAccountsPage()
        }.then(on: nil) { page -> Promise<ExternalAccount> in
            guard let account = page.first(where: { $0.id == id }) else { throw AccountIsGone(id: id) }
            let isSure = hasMoved || last == account.status
            if account.status.isFinal && isSure { return .value(account) }
            return self.poll(
                id, wait: min(longestWait, max(wait, 0.1) * 1.5), atMost: longestWait,
                hasMoved: hasMoved || !account.status.isFinal, last: account.status)
        }
    }
}

struct AccountIsGone: Error, CustomStringConvertible {
    let id: ExternalAccount.ID

    var description: String { "account \(id) is not, or no longer, among the participant's accounts" }
}
