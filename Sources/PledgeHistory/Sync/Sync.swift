import ExistKit
import Foundation
import MyDataHelpsKit
import Pledge
import PledgeHTTP

extension History {
    /// Syncs the data of an Exist account into the history.
    ///
    /// The first sync reads all data. Later syncs read only the data that may have changed; see <doc:Tables> for the
    /// details.
    ///
    /// Each response is written immediately, together with a bookmark from which the next sync continues. So a sync can
    /// be interrupted at any time.
    ///
    /// - Parameters:
    ///   - existAPI: The client of the account.
    ///   - name: The name of the account in the history. The default is the user name in Exist.
    ///   - options: The options that control the sync.
    /// - Rejects: With `ExistError`, ``DatabaseError``, or ``IdentityChange``. ``IdentityChange`` means that the token
    ///   does not belong to the person whose data the account has, or that it was replaced by another person's token
    ///   during the sync. The data that was written before an error stays in the history.
    /// - Cancellation: Cancels the request in progress and sends no further requests.
    public func sync(
        _ existAPI: ExistAPI, as name: String? = nil, options: SyncOptions = SyncOptions()
    ) -> Promise<SyncSummary> {
        let (existAPI, owner) = existAPI.ofOneOwner()
        let before = existAPI.requestCount
        // With a name, the session begins before the service is asked for the owner, so that even a failure of that
        // request is recorded.
        return (name.map(Promise.value) ?? owner().map(on: nil, \.username)).then(on: queue) { account in
            let syncSession = try SyncSession.begin(
                in: self, .exist, as: account, options: options, hiding: existAPI.hide
            ) { existAPI.requestCount - before }
            return syncSession.run(hasOwnName: name == nil) {
                owner().then(on: self.queue) { user in
                    try ExistSync(existAPI: existAPI, session: syncSession, today: user.today).all(user)
                }
            }
        }
    }

    /// Syncs the data of a MyDataHelps participant into the history.
    ///
    /// - Parameters:
    ///   - session: The session of the participant.
    ///   - name: The name of the account in the history. The default is the participant identifier.
    ///   - serviceAccount: A service account of the participant's project. It is used to read version 2 of the device
    ///     data, such as data from Google Health. If it is nil, a sync leaves out that data, because a participant's
    ///     token is not known to have access to it.
    ///   - options: The options that control the sync.
    /// - Rejects: With `MyDataHelpsError`, ``DatabaseError``, or ``IdentityChange``. The data that was written before
    ///   an error stays in the history.
    public func sync(
        _ session: ParticipantSession, as name: String? = nil, serviceAccount: ServiceAccount? = nil,
        options: SyncOptions = SyncOptions()
    ) -> Promise<SyncSummary> {
        let (client, owner) = session.ofOneOwner()
        let requests = { @Sendable in client.requestCount + (serviceAccount?.ownRequestCount ?? 0) }
        let before = requests()
        return (name.map(Promise.value) ?? owner().map(on: nil, \.participantIdentifier)).then(on: queue) { account in
            let syncSession = try SyncSession.begin(
                in: self, .mydatahelps, as: account, options: options, hiding: client.hide
            ) { requests() - before }
            return syncSession.run(hasOwnName: name == nil) {
                owner().then(on: self.queue) { participant in
                    try ParticipantSync(client: client, serviceAccount: serviceAccount, session: syncSession)
                        .all(participant)
                }
            }
        }
    }
}

/// The error of a sync whose token belongs to a different person than the data of the account. The token may have
/// belonged to that person from the start, or may have been replaced by that person's token during the sync.
///
/// None of the other person's data was written. If it is the same person with a new name, accept the new name with
/// ``SyncOptions/acceptedIdentities``.
public struct IdentityChange: WrongOwner, Equatable, Sendable, CustomStringConvertible {
    /// The name of the account.
    public var account: String

    /// A sentence that names the account and says what to do.
    public var description: String {
        "The account “\(account.prefix(40))” has the data of another person than the one to whom its token belongs, so "
            + "nothing was written: correct the token, or choose another name for the account. If it is the same "
            + "person under a new name, accept that once (--accept-identity)."
    }
}

extension Error {
    /// Whether the error concerns only this request, so that other lists can still be read. Other errors also affect
    /// the next requests, for example because the service is down, the token is invalid, or a rate limit is used up.
    var concernsOneList: Bool { isRefusal || failureKind == .unreadable && !lacksToken }
}
