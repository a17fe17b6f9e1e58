import ExistKit
import Foundation
import MyDataHelpsKit
import Pledge
import PledgeCoding
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
        return sync(as: name, owner, ownName: \.username) { name in
            try SyncSession.begin(in: self, .exist, as: name, options: options, hiding: existAPI.hide) {
                existAPI.requestCount - before
            }
        } steps: { syncSession, user in
            try ExistSync(existAPI: existAPI, session: syncSession, today: user.today).all(user)
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
        return sync(as: name, owner, ownName: \.participantIdentifier) { name in
            try SyncSession.begin(in: self, .mydatahelps, as: name, options: options, hiding: client.hide) {
                requests() - before
            }
        } steps: { syncSession, participant in
            try ParticipantSync(client: client, serviceAccount: serviceAccount, session: syncSession).all(participant)
        }
    }

    /// Syncs an account of either service: asks who the owner is, begins a session, and runs its steps.
    ///
    /// - Parameters:
    ///   - name: The name of the account in the history; nil to use the owner's own name.
    ///   - owner: Asks the service who the owner is.
    ///   - ownName: Returns the name of an owner.
    ///   - begin: Begins a session for the account with a name.
    ///   - steps: Reads the lists of the account, one after another.
    private func sync<Owner: Sendable>(
        as name: String?, _ owner: @escaping @Sendable () -> Promise<Owner>,
        ownName: @escaping @Sendable (Owner) -> String,
        beginning begin: @escaping @Sendable (_ name: String) throws -> SyncSession,
        steps: @escaping @Sendable (SyncSession, Owner) throws -> Promise<Void>
    ) -> Promise<SyncSummary> {
        if let name {
            // The name is known, so the session begins before the owner is asked for. Even a failure to learn who the
            // owner is is then recorded.
            return firstly {
                let session = try begin(name)
                return session.run { owner().then(on: self.queue) { try steps(session, $0) } }
            }
        }
        return owner().then(on: queue) { owner -> Promise<SyncSummary> in
            let session = try begin(ownName(owner))
            session.noteNewAccount()
            return session.run { try steps(session, owner) }
        }
    }
}

/// The options that control a sync.
public struct SyncOptions: Sendable {
    /// The number of days before the last sync that a sync reads again. Services may still correct the values of these
    /// days.
    public var overlap = 14
    /// Returns the current time, which a sync stores as the time of its run. The timestamps of the services determine
    /// what a sync requests. This clock only limits them, so that a sync never continues from a time in the future.
    public var now: @Sendable () -> Date = { Date() }
    /// Called between requests. If it returns true, the sync ends as if it had been canceled.
    public var isStopped: @Sendable () -> Bool = { false }
    /// Returns the description of an error. A sync stores this text in the history, so leave out anything that must not
    /// be stored.
    public var describe: @Sendable (any Error) -> String = { "\($0)" }
    /// Whether to read all data again, as the first sync did. Such a sync finds corrections and removals of any age.
    public var isFull = false
    /// The number of days after which a sync reads all data of an account again; nil for never. The accounts of a
    /// history are due on different days, so that a sync reads all data of about the same number of accounts each day.
    public var fullEvery: Int?
    /// Whether to mark rows as removed when the service no longer has them, no matter how many rows that are.
    ///
    /// If this is false, a sync assumes that the service is at fault when too many rows are missing: more than ten, and
    /// more than one percent of the account's rows in that table. The sync then marks none of these rows as removed. It
    /// reports a gap, and so does each later sync until the rows are back.
    public var acceptsRemovals = false
    /// The names of the accounts to sync although their tokens seem to belong to other people than before. That also
    /// happens if the same person has a new user name.
    public var acceptedIdentities: Set<String> = []
    /// Called during a sync with an estimate of the number of requests that are left.
    public var onProgress: @Sendable (_ requestsLeft: Int) -> Void = { _ in }

    /// Returns the code of an error. A sync stores this code in the history.
    package var kind: @Sendable (any Error) -> String = \.kindName
    /// The address of the account's server; nil for the default server. A sync refuses to store the data of one server
    /// in an account that has the data of another server.
    package var address: String?

    /// Creates the default options. They suit a program that syncs a user's own data at least once a day.
    public init() {}
}

/// The results of a completed sync.
public struct SyncSummary: Equatable, Sendable, CustomStringConvertible {
    /// The number of requests that were sent.
    public var requests: Int
    /// The numbers of rows that were added, changed, and removed in the database.
    public var changes: ChangeCount
    /// Sentences about the gaps, about items that could not be read, and about items with content that the service
    /// doesn't document. If very many items could not be read, the last sentence tells how many more there are.
    public var notes: [String] = []
    /// The numbers of items that could not be read, by table. These items are not stored.
    public var unreadable: [String: Int] = [:]
    /// The lists that the sync could not bring up to date. The rows that were stored before stay, and the next sync
    /// requests these lists again.
    public var gaps: [Gap] = []

    /// A list that a sync could not bring up to date, although it could read other lists.
    public struct Gap: Equatable, Sendable {
        /// The name of the table that stores the list.
        public var list: String
        /// A code for the reason, such as `forbidden` or `notFound`.
        ///
        /// The code `unreadable` can also mean that none of the list's items could be read, although some are stored.
        /// The code `removals` means that the service no longer had very many of the stored rows, which is likely to be
        /// a fault. To accept such removals, set ``SyncOptions/acceptsRemovals``.
        public var kind: String
        /// A sentence that explains the gap to people.
        public var text: String
    }

    /// The numbers of requests and changes, such as `7 requests, 12 added, 3 changed, none removed`.
    public var description: String {
        func text(_ number: Int) -> String { number == 0 ? "none" : "\(number)" }
        return "\(NumberText.counted(requests, "request")), \(text(changes.added)) added, "
            + "\(text(changes.changed)) changed, \(text(changes.removed)) removed"
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
