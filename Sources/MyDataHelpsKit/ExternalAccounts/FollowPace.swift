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
        follow(id, FollowState(pace: pace))
            .timeout(seconds: pace.deadline, timekeeper: client.clock)
            .mapError(on: nil) { MyDataHelpsError($0) }
    }

    private func follow(_ id: ExternalAccount.ID, _ state: FollowState) -> Promise<ExternalAccount> {
        after(seconds: state.wait, timekeeper: client.clock).then(on: .pledge) { _ in
            self.externalAccountsPage()
        }.then(on: nil) { page -> Promise<ExternalAccount> in
            guard let account = page.first(where: { $0.id == id }) else { throw AccountIsGone(id: id) }
            var state = state
            return state.isDone(account) ? .value(account) : self.follow(id, state)
        }
    }
}

/// The state of polling an account.
private struct FollowState: Sendable {
    var wait: TimeInterval
    private let longestWait: TimeInterval
    private var hasMoved = false
    private var last: ExternalAccountStatus?

    init(pace: FollowPace) {
        wait = max(0, min(pace.firstWait, pace.longestWait))
        longestWait = max(0, pace.longestWait)
    }

    /// Records a poll, and returns whether it was the last one needed.
    mutating func isDone(_ account: ExternalAccount) -> Bool {
        let isSure = hasMoved || last == account.status
        hasMoved = hasMoved || !account.status.isFinal
        last = account.status
        wait = min(longestWait, max(wait, 0.1) * 1.5)
        return account.status.isFinal && isSure
    }
}

/// The error for an account that is not among the participant's accounts.
struct AccountIsGone: Error, CustomStringConvertible {
    let id: ExternalAccount.ID

    var description: String { "account \(id) is not, or no longer, among the participant's accounts" }
}
