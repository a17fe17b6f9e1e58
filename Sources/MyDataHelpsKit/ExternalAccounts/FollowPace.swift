import Foundation
import Pledge

/// How often to look, and for how long.
public struct FollowPace: Sendable, Equatable {
    /// Seconds before the first look. Each further wait is half as long again as the one before.
    public var firstWait: TimeInterval
    /// The longest wait, in seconds.
    public var longestWait: TimeInterval
    /// Seconds after which to give up.
    public var deadline: TimeInterval

    /// A pace: by default from three seconds to a minute, for ten minutes, which costs some twenty requests.
    public init(firstWait: TimeInterval = 3, longestWait: TimeInterval = 60, deadline: TimeInterval = 600) {
        self.firstWait = firstWait
        self.longestWait = longestWait
        self.deadline = deadline
    }
}

extension ParticipantSession {
    // One comment for both styles of a call: promise, asynchronous. The official SDK has none of these.

    /// Asks the service to fetch an account's data again, and waits until it has.
    ///
    /// - Parameters:
    ///   - id: from ``ExternalAccount/id``.
    ///   - pace: how often to look, and for how long.
    /// - Returns: the account as it stands in the end: `fetchComplete`, `error`, or `unauthorized`, which means that
    ///   the participant has to connect again.
    /// - Rejects: with ``MyDataHelpsError/timedOut(_:)`` if it takes too long, and with ``MyDataHelpsError/unknown(_:)``
    ///   if the account goes away meanwhile.
    /// - Cancellation: stops looking; the service continues.
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

    /// Looks at an account until it stands still, as after the participant has connected it.
    ///
    /// The first look may come before the service has begun, so what seems to stand still gets a second look.
    ///
    /// - Parameters:
    ///   - id: from ``ExternalAccount/id``.
    ///   - pace: how often to look, and for how long.
    /// - Returns: the account as it stands in the end; see `refreshAndFollowExternalAccount(_:pace:)`.
    /// - Rejects: as that one does.
    /// - Cancellation: stops looking.
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

/// What has been seen of an account so far.
private struct FollowState: Sendable {
    var wait: TimeInterval
    private let longestWait: TimeInterval
    private var hasMoved = false
    private var last: ExternalAccountStatus?

    init(pace: FollowPace) {
        wait = max(0, min(pace.firstWait, pace.longestWait))
        longestWait = max(0, pace.longestWait)
    }

    /// Takes a look, and says whether it was the last that is needed.
    mutating func isDone(_ account: ExternalAccount) -> Bool {
        let isSure = hasMoved || last == account.status
        hasMoved = hasMoved || !account.status.isFinal
        last = account.status
        wait = min(longestWait, max(wait, 0.1) * 1.5)
        return account.status.isFinal && isSure
    }
}

/// An account that is not among the participant's.
struct AccountIsGone: Error, CustomStringConvertible {
    let id: ExternalAccount.ID

    var description: String { "account \(id) is not, or no longer, among the participant's accounts" }
}
