import Foundation
import PledgeCoding
import PledgeHTTP

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
