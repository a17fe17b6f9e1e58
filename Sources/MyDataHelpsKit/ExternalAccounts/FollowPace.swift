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
    // One comment for both styles of a call: promise, asynchronous. The official SDK has none of these.

    /// Requests a refresh of an account's data, and waits for its completion.
    ///
    /// - Parameters:
    ///   - id: The account's identifier, from ``ExternalAccount/id``.
    ///   - pace: The intervals and time limit for polling.
    /// - Returns: The account in its final state: `fetchComplete`, `error`, or `unauthorized`, which means that the
    ///   participant must connect it again.
    /// - Rejects: With ``MyDataHelpsError/timedOut(_:)`` at the time limit, and with ``MyDataHelpsError/unknown(_:)``
    ///   if the account is removed in the meantime.
    /// - Cancellation: Stops polling; the service continues.
    public func refreshAndFollowExternalAccount(
        _ id: ExternalAccount.ID, pace: FollowPace = FollowPace()
    ) -> Promise<ExternalAccount> {
        refreshExternalAccount(id).then(on: nil) { self.follow(id, pace) }
    }
    public func refreshAndFollowExternalAccount(
        _ id: ExternalAccount.ID, pace: FollowPace = FollowPace()
    ) async throws(MyDataHelpsError) -> ExternalAccount {
        try await refreshExternalAccount(id)
        return try await value(of: follow(id, pace))
    }

    /// Polls an account until its status is final, such as after the participant has connected it.
    ///
    /// The first poll may precede the service's start, so a status that appears final is checked a second time.
    ///
    /// - Parameters:
    ///   - id: The account's identifier, from ``ExternalAccount/id``.
    ///   - pace: The intervals and time limit for polling.
    /// - Returns: The account in its final state; see `refreshAndFollowExternalAccount(_:pace:)`.
    /// - Rejects: With the same errors as that method.
    /// - Cancellation: Stops polling.
    public func followExternalAccount(
        _ id: ExternalAccount.ID, pace: FollowPace = FollowPace()
    ) -> Promise<ExternalAccount> { follow(id, pace) }
    public func followExternalAccount(
        _ id: ExternalAccount.ID, pace: FollowPace = FollowPace()
    ) async throws(MyDataHelpsError) -> ExternalAccount { try await value(of: follow(id, pace)) }

    private func follow(_ id: ExternalAccount.ID, _ pace: FollowPace) -> Promise<ExternalAccount> {
        follow(id, FollowState(pace: pace))
            .timeout(seconds: pace.deadline, timekeeper: client.clock)
            .mapError(on: nil) { MyDataHelpsError($0) }
    }

    private func follow(_ id: ExternalAccount.ID, _ state: FollowState) -> Promise<ExternalAccount> {
        after(seconds: state.wait, timekeeper: client.clock).then(on: .pledge) { _ in
            self.accounts()
        }.then(on: nil) { accounts -> Promise<ExternalAccount> in
            guard let account = accounts.first(where: { $0.id == id }) else { throw AccountIsGone(id: id) }
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
